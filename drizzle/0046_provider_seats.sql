-- When each seat of a provider's rate was last used (src/providers/slots.ts). An older release leaves it as it is and goes by `arrival_at` alone.
ALTER TABLE "provider_states" ADD COLUMN "seats" double precision[] DEFAULT '{}' NOT NULL;
