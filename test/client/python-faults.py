"""The Python client on bad days, and its verification of webhooks. Reads questions as JSON lines, answers each with a line (test/client/python.test.ts)."""

import base64
import datetime
import json
import sys

from confam import Confam, Refused, StillRunning, Unreachable, WebhookRefused, webhooks


def answer(question):
    if "verify" in question:
        message = question["verify"]
        body = message["body"] if message.get("as_text") else base64.b64decode(message["body"])
        return webhooks.verify(body, message["headers"], message["secret"])["type"]
    key = question.get("key", "key")
    client = Confam(question["url"], key=key, app="app_1", retries=question.get("retries", 4), timeout=question.get("timeout", 5))
    if question["call"] == "remove":
        return client.webhooks.remove("whe_1")
    if question["call"] == "wait":
        part = client.jobs if question["id"].startswith("job") else client.batches
        return part.wait(question["id"], timeout=question.get("wait"))["status"]
    if question["call"] == "upload":
        source = open(__file__, encoding="utf-8") if question["rows"] is None else [{**row, "reference": float("nan")} for row in question["rows"]]
        return client.batches.upload(source, checks=["nin_basic"], idempotency_key=question.get("idempotency_key"))["id"]
    if question["call"] == "values":
        born = datetime.date(1990, 5, 17)
        values = {"image": b"\xff\xd8", "date_of_birth": born, "seen": datetime.datetime(2026, 11, 29), "at": datetime.datetime(2026, 11, 29, 10, 30)}
        return client.jobs.create("nin_verify", {**values, "nin": {1}} if "odd" in question else values)["id"]
    if question["call"] == "job":
        return client.jobs.create("nin_basic", {"nin": "70123456789"})["id"]
    if question["call"] == "nin":
        return client.nin.basic(nin="70123456789")["entity"]
    if question["call"] == "watch":
        return [one.get("change", one.get("progress")) for one in client.batches.watch("bat_1", timeout=question.get("wait"))]
    if question["call"] == "save":
        return client.batches.save("bat_1", question["path"])
    return [row["row"] for row in client.batches.results("bat_1")]


for line in sys.stdin:
    try:
        said = {"answer": answer(json.loads(line))}
    except (Refused, StillRunning, Unreachable, WebhookRefused) as error:
        said = {"error": type(error).__name__, "code": getattr(error, "code", None), "message": str(error)}
    except (TypeError, ValueError) as error:
        said = {"error": type(error).__name__}
    print(json.dumps(said), flush=True)
