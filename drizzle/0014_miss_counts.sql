CREATE TABLE "miss_counts" (
	"key" "bytea" NOT NULL,
	"window" timestamp with time zone NOT NULL,
	"misses" integer NOT NULL,
	"allowed" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "miss_counts_key_window_pk" PRIMARY KEY("key","window")
);
--> statement-breakpoint
CREATE INDEX "miss_counts_expiry" ON "miss_counts" USING btree ("expires_at");