-- Written by hand. Fails a settlement that was sent together with its commit, when it turns out that something follows from it (src/batches/outcomes.ts).
CREATE FUNCTION refuse_turn(turns boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF turns THEN RAISE EXCEPTION 'something follows from this settlement' USING ERRCODE = 'CF001'; END IF;
END $$;
