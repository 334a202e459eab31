"""Runs the Python client against a service; what it found goes to standard output as JSON (test/client/python.test.ts). Arguments: URL, key, app, a folder."""

import inspect
import json
import sys
import time
from pathlib import Path

from confam import CATALOGUE, Confam, Refused, StillRunning, Unreachable, WebhookRefused, webhooks

url, key, app, folder = sys.argv[1:]
log = []
client = Confam(url, key=key, app=app, log=log.append)


def raised(call):
    try:
        call()
    except (Refused, StillRunning, Unreachable, WebhookRefused, RuntimeError, TypeError, ValueError, FileNotFoundError) as error:
        return [type(error).__name__, getattr(error, "code", None) or str(error)]
    return None


def nin(i):
    return str(40_000_000_000 + i * 7)


found = {}
found["catalogue"] = [[family, id, method, path] for family, checks in CATALOGUE.items() for id, method, path in checks.values()]
# What a type checker knows of the client.
found["declared"] = sorted(Confam.__annotations__) == sorted(CATALOGUE)
found["listed"] = [[check["family"], check["id"], check["method"], check["path"]] for check in client.checks()]
found["surface"] = {
    name: sorted(one for one in dir(part) if not one.startswith("_")) for name, part in vars(client).items() if not name.startswith("_")
}
parameters = {
    f"{part}.{name}": inspect.signature(getattr(getattr(client, part), name)).parameters for part, names in found["surface"].items() for name in names
}
found["stated"] = [call for call, taken in parameters.items() if "purpose" in taken and taken["purpose"].default is None]
found["keyed"] = [call for call, taken in parameters.items() if "idempotency_key" in taken]
found["call"] = client.nin.advance(nin="70123456789", consent={"reference": "ọ-1", "purpose": "onboarding", "obtained_at": "2025-11-21T10:00:00Z"})["entity"]["nin"]
found["cache"] = [client.nin.basic(nin=nin(3), **option)["cached"] for option in ({}, {}, {"cache": "refresh"})]
found["posted"] = client.tin.verify(tin="12345678-0001")["meta"]["service"]
found["refused"] = raised(lambda: client.nin.basic(nin="7"))
found["nobody"] = raised(lambda: client.nin.basic(nin="00000000001"))

before = client.wallet.get()["available"]
found["not_ids"] = [raised(lambda: client.jobs.get(id)) for id in ("x/../../kyc/nin/advance?nin=7#", "x?wait=1", "", "..")]
found["not_ids_cost"] = client.wallet.get()["available"] - before

job = client.jobs.create("nin_basic", {"nin": nin(1)}, reference="order-1")
found["lookups"] = isinstance(client.jobs.lookups(job["id"]), list)
found["job"] = {name: client.jobs.wait(job["id"])[name] for name in ("status", "outcome", "reference")}
found["jobs"] = [one["reference"] for one in client.jobs.all(reference="order-1")]
found["same_key"] = len({client.jobs.create("nin_basic", {"nin": nin(2)}, idempotency_key="k-1")["id"] for _ in range(2)})

path = Path(folder) / "customers.csv"
path.write_text("National ID,Customer\n" + "".join(f"{nin(i)},c{i + 1}\n" for i in range(40)), encoding="utf-8")
mapping = {"nin": "National ID", "reference": "Customer"}
rows = [{"nin": nin(i), "reference": f"c{i + 1}"} for i in range(40)]


def broken():
    yield rows[0]
    raise RuntimeError("the source is gone")


preview = client.batches.preview(path)
found["preview"] = [preview["sampled_rows"], {one["field"]: one["column"] for one in preview["mapping"]}["nin"]]
found["quote"] = client.batches.quote(path, checks=["nin_basic"], mapping=mapping)["counts"]["jobs"]
with open(path, "rb") as file:
    sources = [str(path), path, path.read_bytes(), file]
    found["files"] = [client.batches.upload(one, checks=["nin_basic"], mapping=mapping, start="manual", metadata={"shelf": 3})["counts"]["jobs"] for one in sources]
found["rows"] = [client.batches.upload(one, checks=["nin_basic"], start="manual")["counts"]["jobs"] for one in (rows, iter(rows))]
found["broken"] = raised(lambda: client.batches.upload(broken(), checks=["nin_basic"]))
found["refused_early"] = [
    raised(lambda: client.batches.upload(one, checks=["nin_bsic"]))
    for one in (({"nin": nin(i), "note": "x" * 100} for i in range(1_000_000)), b"nin\n" + b"70123456789\n" * 4_000_000)
]
found["missing"] = raised(lambda: client.batches.upload(Path(folder) / "nothing.csv", checks=["nin_basic"]))

found["no_id"] = raised(lambda: client.jobs.wait({"id": "job_1"}))

progress = []
batch = client.batches.upload(rows, checks=["nin_basic", "nin_advance"])
ended = client.batches.wait(batch["id"], on_progress=lambda batch: progress.append(batch["progress"]["percent"]))
found["ended"] = [ended["status"], ended["counts"]["jobs"], progress[-1], progress == sorted(progress)]
results = list(client.batches.results(batch["id"], purpose="fraud"))
found["results"] = [len(results), results[4]["reference"], results[4]["checks"]["nin_advance"]["entity"]["nin"]]
found["watched"] = [one["change"]["status"] for one in client.batches.watch(batch["id"]) if one["type"] == "status"][-1]
found["history"] = [client.batches.history(batch["id"])[-1]["status"], client.batches.timeline(batch["id"])["object"], client.batches.failures(batch["id"])]
found["page"] = [one["row"] for one in client.batches.jobs(batch["id"], from_row=39)["data"]]
link = client.batches.link(batch["id"], format="csv", expires_in_seconds=600, purpose="legal")
client.batches.revoke_link(client.batches.links(batch["id"])["data"][0]["id"])
found["link"] = [link["url"].startswith("http"), client.batches.links(batch["id"])["data"][0]["revoked_at"] is not None]
wrong = client.batches.upload([{"nin": "12"}, *rows[:2]], checks=["nin_basic"], start="manual")
client.batches.save_errors(wrong["id"], Path(folder) / "wrong.csv", purpose="support")
found["errors"] = "12" in (Path(folder) / "wrong.csv").read_text(encoding="utf-8-sig")
found["started"] = client.batches.start(wrong["id"])["status"]
found["batches"] = [wrong["id"] in [one["id"] for one in client.batches.all(limit=3)], len(client.batches.page(limit=2)["data"])]
client.batches.save(batch["id"], Path(folder) / "results.csv", purpose="complaint")
found["saved"] = len((Path(folder) / "results.csv").read_text(encoding="utf-8-sig").splitlines())
waiting = client.batches.upload(rows, checks=["nin_basic"], start="manual")
found["waiting"] = raised(lambda: client.batches.wait(waiting["id"], timeout=0.3))
found["canceled"] = client.batches.control(waiting["id"], "cancel")["status"]

found["wallet"] = client.wallet.get()["currency"]
found["entries"] = [len(list(client.wallet.entries(limit=5))) > 5, len(client.wallet.entries_page(limit=2)["data"])]
month = time.strftime("%Y-%m", time.gmtime())
found["statement"] = [client.wallet.statement(month)["month"] == month, "daily_cap" in client.wallet.limits(), len(client.wallet.prices()) > 20]
found["usage"] = "nin_basic" in [one["check"] for one in client.wallet.usage(group="check")["data"]]
charge = next(line for line in client.wallet.batch_charges(limit=1) if line["batch"] == batch["id"])
charged = client.batches.jobs(batch["id"], check=charge["check"], billed=charge["price"])["data"]
found["charges"] = [len(charged) == charge["jobs"], charge["amount"] == charge["jobs"] * charge["price"], len(client.wallet.batch_charges_page(limit=1)["data"])]
client.wallet.save_entries(Path(folder) / "entries.csv")
client.wallet.save_batch_charges(Path(folder) / "charges.csv")
client.wallet.save_statement(month, Path(folder) / "statement.csv")
client.wallet.save_usage(Path(folder) / "usage.csv")
found["files"] += [len((Path(folder) / f"{name}.csv").read_text().splitlines()) > 1 for name in ("entries", "charges", "statement", "usage")]
screened = client.jobs.create("aml_screening", {"name": "Gleb Voronetzky", "date_of_birth": "1971-11-02", "country": "RU", "monitor": True})
report = client.jobs.wait(screened["id"])
monitor = next(client.aml.monitors(job=screened["id"]))
ended = client.aml.end_monitor(monitor["id"])
found["monitor"] = [client.aml.monitor(monitor["id"])["matches"], ended["ended_at"] is not None, len(client.aml.monitors_page(limit=1)["data"])]
hit = report["result"]["hits"][0]
cleared = client.aml.clear(job=screened["id"], list=hit["list"], source_id=hit["source_id"], reason="Somebody else", cleared_by="A. Analyst")
found["cleared"] = [cleared["id"] in [one["id"] for one in client.aml.clearances()], len(client.aml.clearances_page(limit=1)["data"]), len(client.aml.lists()) > 0]
client.aml.revoke_clearance(cleared["id"])
found["report"] = client.jobs.report(screened["id"], purpose="screening")[:5].decode()
endpoint = client.webhooks.create("https://example.com/hook", events=["job.completed"], disabled=True)
changed = client.webhooks.change(endpoint["id"], description="Ours")
rotated = client.webhooks.rotate(endpoint["id"], revoke_previous=True)
found["endpoint"] = [changed["description"], client.webhooks.get(endpoint["id"])["events"], endpoint["secret"] != rotated["secret"]]
found["endpoints"] = [len(list(client.webhooks.all())), len(client.webhooks.page()["data"]), list(client.webhooks.deliveries(endpoint["id"]))]
client.webhooks.remove(endpoint["id"])
found["removed"] = raised(lambda: client.webhooks.get(endpoint["id"]))
case = next(client.reviews.all(job=client.jobs.wait(client.jobs.create("aml_screening", {"name": "Gleb Voronetzky", "country": "RU"})["id"])["id"]))
client.reviews.comment(case["id"], "Asked the branch")
client.reviews.assign(case["id"], None)
decided = client.reviews.decide(case["id"], "approve", "Seen in person")
found["review"] = [case["state"], decided["state"], decided["decision"], len(client.reviews.get(case["id"], purpose="review")["notes"]) > 0, len(client.reviews.page(limit=1)["data"])]
made = client.keys.create("Nightly", scopes=["verify"], idempotency_key="key-1")
renamed = client.keys.change(made["id"], name="Weekly")
other = client.keys.rotate(made["id"], overlap_seconds=60)
narrow = Confam(url, key=other["key"], app=app)
found["key"] = [renamed["name"], narrow.nin.basic(nin=nin(1))["entity"]["nin"] == nin(1), raised(narrow.keys.page), client.keys.revoke(other["id"])["id"] == other["id"]]
found["keys"] = [other["id"] in [one["id"] for one in client.keys.all()], raised(lambda: narrow.nin.basic(nin=nin(1)))]
them = [{"type": "nin", "value": nin(907)}]
hold = client.subjects.hold(them, reason="Suit 17")
found["hold"] = [hold["reason"], client.subjects.lift_hold(hold["id"])["lifted_at"] is not None, len(client.subjects.holds(limit=5)["data"])]
about = client.subjects.export(them)
erasure = client.subjects.erase(them)
deadline = time.monotonic() + 20
while erasure["status"] != "done" and time.monotonic() < deadline:
    time.sleep(0.1)
    erasure = client.subjects.erasure(erasure["id"])
found["erased"] = [client.subjects.check_receipt(erasure["receipt"], erasure["signature"]), len(client.subjects.erasures()["data"]), client.subjects.exports()["data"][0]["id"] == about["id"]]
found["ended_export"] = raised(lambda: client.subjects.save(about["id"], Path(folder) / "subject.json"))
consent = {"reference": "C-17", "purpose": "onboarding", "obtained_at": "2025-11-21T09:30:00Z"}
withdrawn = client.consents.withdraw("C-17")
found["withdrawn"] = [withdrawn["monitors_ended"], len(client.consents.withdrawals()["data"]), raised(lambda: client.nin.basic(nin=nin(1), consent=consent))]
client.consents.save_lookups(Path(folder) / "lookups.csv")
found["purposes"] = [len(client.consents.lookups()["data"]) > 0, (Path(folder) / "lookups.csv").read_text(encoding="utf-8-sig").startswith("purpose,basis,check,lookups")]
entries = list(client.audit.all(limit=50))
actions = [entry["action"] for entry in entries]
reads = ("results.read", "link.create", "errors.read", "report.read", "review.read")
found["what_for"] = sorted(f"{entry['action']} {entry['purpose']}" for entry in entries if entry["action"] in reads and entry["purpose"])
client.audit.save(Path(folder) / "audit.csv")
lines = (Path(folder) / "audit.csv").read_text(encoding="utf-8-sig").splitlines()
found["audit"] = ["key.rotate" in actions, "review.decide" in actions, len(client.audit.page(limit=2)["data"]), len(lines) > len(actions)]
found["away"] = raised(lambda: Confam("http://127.0.0.1:1", key="k", app="a", retries=0).wallet.get())
found["leaks"] = [value for value in ("70123456789", nin(1), "order-1", key) if value in json.dumps(log)]
print(json.dumps(found))
