CREATE TABLE "leads" (
	"name" text PRIMARY KEY NOT NULL,
	"token" bigint NOT NULL,
	"held_until" timestamp with time zone NOT NULL
);
