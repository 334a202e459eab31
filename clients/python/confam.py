"""Client of Confam, the self-hosted verification of Nigerian identities. One file, the standard library alone, Python 3.9 or later.

    from confam import Confam, Refused, webhooks

    client = Confam("http://127.0.0.1:8080", key="…", app="app_…")
    answer = client.nin.advance(nin="70123456789")
    batch = client.batches.upload("people.csv", checks=["nin_basic"], mapping={"nin": "National ID"})
    client.batches.wait(batch["id"])
    for row in client.batches.results(batch["id"]):
        ...

Answers are the API's JSON as dictionaries (docs/api.md); amounts are naira. Methods raise `Refused` or `Unreachable`. Those that list are iterators over
every item; `page`, and names that end in `_page`, answer one page and its `next_cursor`.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime
import email.utils
import hashlib
import hmac
import io
import json
import math
import os
import random
import secrets as _random_secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast

__all__ = ["Confam", "Refused", "StillRunning", "Unreachable", "WebhookRefused", "webhooks"]
__version__ = "0.1.0"

Json = Dict[str, Any]
# A path, the bytes of a file, an open binary file, or rows.
Source = Union[str, "os.PathLike[str]", bytes, io.IOBase, Iterable[Mapping[str, Any]]]
Path = Union[str, "os.PathLike[str]"]

# By family and name: id, method and path.
# Written by `npm run clients:catalogue` from src/checks/; edit it there.
CATALOGUE = {
    "nin": {
        "basic": ("nin_basic", "GET", "/api/v1/kyc/nin"),
        "advance": ("nin_advance", "GET", "/api/v1/kyc/nin/advance"),
        "premium": ("nin_premium", "GET", "/api/v1/kyc/nin/premium"),
        "slip": ("nin_slip", "GET", "/api/v1/kyc/nin/nin_slip"),
    },
    "bvn": {
        "match": ("bvn_match", "GET", "/api/v1/kyc/bvn"),
        "full": ("bvn_full", "GET", "/api/v1/kyc/bvn/full"),
        "advance": ("bvn_advance", "GET", "/api/v1/kyc/bvn/advance"),
    },
    "cac": {
        "basic": ("cac_basic", "GET", "/api/v1/kyc/cac/basic"),
        "advance": ("cac_advance", "GET", "/api/v1/kyc/cac/advance"),
        "screening": ("cac_screening", "GET", "/api/v1/kyc/cac/screening"),
        "verify": ("verify_cac", "POST", "/v1/verify/cac"),
    },
    "tin": {
        "lookup": ("tin", "GET", "/api/v1/kyc/tin"),
        "verify": ("verify_tin", "POST", "/v1/verify/tin"),
    },
    "credit": {
        "bvn": ("credit_bvn", "GET", "/api/v1/credit/bvn"),
    },
    "document": {
        "drivers_license": ("drivers_license", "POST", "/v1/verify/drivers-license"),
        "passport": ("passport", "POST", "/v1/verify/passport"),
        "pvc": ("pvc", "POST", "/v1/verify/pvc"),
        "phone": ("phone", "POST", "/v1/verify/phone"),
        "address": ("address", "POST", "/v1/verify/address"),
    },
    "face": {
        "photoid_verify": ("photoid_verify", "POST", "/api/v1/kyc/photoid/verify"),
        "photoid_compare": ("photoid_compare", "POST", "/api/v1/kyc/photoid/compare"),
        "nin_verify": ("nin_verify", "POST", "/api/v1/kyc/nin/verify"),
        "bvn_verify": ("bvn_verify", "POST", "/api/v1/kyc/bvn/verify"),
        "match": ("face_match", "POST", "/v1/verify/biometrics/face-match"),
    },
    "aml": {
        "screening": ("aml_screening", "POST", "/api/v1/aml/screening"),
    },
    "email": {
        "risk": ("email_risk", "GET", "/api/v1/kyc/email"),
    },
}
# End of what is written.

# The refusal by 503 that lasts until the operator does something. One for a list that is missing says itself when to ask again.
_LASTING = "provider_not_configured"
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 8.0
_LONGEST_RETRY_AFTER = 60.0
# How long one request waits for a job or batch.
_WAIT = 30
# An upload may take an hour, a download pauses while the service has nothing to send.
_FILE_TIMEOUT = 3600.0
# A stream of events has a comment at least every 15 s.
_SILENCE = 45.0
# Between two questions while the service is away, and before a stream of events is opened again.
_OUTAGE_PAUSE = 2.0
# Downloads in a row that bring nothing new.
_CUTS = 4
_OVER = ("completed", "canceled", "failed", "expired", "deleting", "deleted")
_PIECE = 64 * 1024
_PREVIEW_BYTES = 256 * 1024

_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "txt": "text/csv",
    "ndjson": "application/x-ndjson",
    "jsonl": "application/x-ndjson",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    "zip": "application/zip",
    "gz": "application/gzip",
}


class Refused(Exception):
    """The service refused. `code` is one of docs/errors.md; `request_id` finds the request in the service's log."""

    def __init__(self, status: int, body: Json, retry_after: Optional[str]) -> None:
        super().__init__(body.get("error") or f"The service answered {status}")
        self.status = status
        self.code: str = body.get("code") or "internal"
        self.request_id: Optional[str] = (body.get("meta") or {}).get("request_id")
        self.details: List[Json] = body.get("details") or []
        self.retry_after: Optional[float] = _seconds_until(retry_after)
        self.extra = {name: value for name, value in body.items() if name not in ("status", "error", "code", "details", "meta")}


class Unreachable(Exception):
    """No answer came. Whether a request that changes something was carried out is unknown."""


class StillRunning(Exception):
    """A wait has reached its time limit; the job or batch goes on."""

    def __init__(self, id: str, status: str) -> None:
        super().__init__(f"{id} is still {status}")
        self.id = id
        self.status = status


class _TimeIsUp(Exception):
    """The deadline of a stream of events has passed."""


class Confam:
    """`log` is told of each attempt as a dictionary: method, path without query, attempt, status, code, request_id, seconds. Never of a value."""

    # The families of CATALOGUE, for editors and type checkers.
    nin: _Family
    bvn: _Family
    cac: _Family
    tin: _Family
    credit: _Family
    document: _Family
    face: _Family
    aml: _Aml
    email: _Family

    def __init__(
        self,
        base_url: str,
        key: str,
        app: str,
        *,
        retries: int = 4,
        timeout: float = 60.0,
        log: Optional[Callable[[Json], None]] = None,
    ) -> None:
        # A file or the environment may add a line end.
        base_url, key, app = ((text or "").strip() for text in (base_url, key, app))
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must be the address of the service, such as https://confam.bank.example")
        if not _fits_header(key) or not _fits_header(app):
            raise ValueError("key and app must be an API key and the id of its app (app_…)")
        if key.startswith("app_") or app.startswith("cf_"):
            raise ValueError("key and app are swapped: key is the API key (cf_…), app the id (app_…)")
        self._transport = _Transport(base_url.rstrip("/"), {"Authorization": key, "AppId": app}, retries, timeout, log)
        for family, checks in CATALOGUE.items():
            setattr(self, family, (_Aml if family == "aml" else _Family)(self._transport, checks))
        self.jobs = _Jobs(self._transport)
        self.batches = _Batches(self._transport)
        self.wallet = _Wallet(self._transport)
        self.reviews = _Reviews(self._transport)
        self.webhooks = _Endpoints(self._transport)
        self.keys = _Keys(self._transport)
        self.audit = _Audit(self._transport)
        self.subjects = _Subjects(self._transport)
        self.consents = _Consents(self._transport)

    def checks(self) -> List[Json]:
        """What the key may run, with its inputs."""
        return self._transport.entity("GET", "/api/v1/checks")["data"]


class _Resource:
    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def _get(self, path: str, **query: Any) -> Json:
        return self._transport.entity("GET", path, query=query)

    def _post(self, path: str, body: Optional[Json] = None, idempotency_key: Optional[str] = None) -> Json:
        return self._transport.entity("POST", path, body=body, headers=_key(idempotency_key))


class _Listed(_Resource):
    """A resource that `all` and `page` list, newest first."""

    _path = ""

    def all(self, **query: Any) -> Iterator[Json]:
        return self._transport.items(self._path, query)

    def page(self, **query: Any) -> Json:
        return self._get(self._path, **query)


class _Family(_Resource):
    """The checks of a family: `client.nin.advance(nin=…)`. Each answers `entity`, `billed_amount`, `cached` and `meta`."""

    def __init__(self, transport: _Transport, checks: Mapping[str, Sequence[str]]) -> None:
        super().__init__(transport)
        for name, (_, method, path) in checks.items():
            setattr(self, name, self._call(transport, method, path))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Json]: ...

    @staticmethod
    def _call(transport: _Transport, method: str, path: str) -> Callable[..., Json]:
        def call(*, consent: Optional[Json] = None, cache: Optional[str] = None, **input: Any) -> Json:
            """`cache="refresh"` looks up again even if the cache has an answer."""
            headers = {"Consent": json.dumps(consent)} if consent else {}
            sent = {**input, **({"cache": cache} if cache else {})}
            if method == "GET":
                return transport.read(method, path, query=sent, headers=headers, is_charged=True)
            return transport.read(method, path, body=sent, headers=headers)

        return call


class _Aml(_Family):
    """Screening, and what comes after it: monitors, clearances of hits, watch lists (docs/aml.md)."""

    _MONITORS = "/api/v1/aml/monitors"
    _CLEARANCES = "/api/v1/aml/clearances"

    def monitors(self, **query: Any) -> Iterator[Json]:
        return self._transport.items(self._MONITORS, query)

    def monitors_page(self, **query: Any) -> Json:
        return self._get(self._MONITORS, **query)

    def monitor(self, id: str) -> Json:
        """With its hits."""
        return self._get(f"{self._MONITORS}/{_part(id)}")

    def end_monitor(self, id: str) -> Json:
        return self._transport.entity("DELETE", f"{self._MONITORS}/{_part(id)}")

    def lists(self) -> List[Json]:
        """The watch lists in force."""
        return self._get("/api/v1/aml/lists")["data"]

    def clearances(self, **query: Any) -> Iterator[Json]:
        return self._transport.items(self._CLEARANCES, query)

    def clearances_page(self, **query: Any) -> Json:
        return self._get(self._CLEARANCES, **query)

    def clear(self, **body: Any) -> Json:
        """A hit is somebody else. `body`: job, or name, type, date_of_birth, country and registration_number; list, source_id, list_version, reason, cleared_by."""
        return self._post(self._CLEARANCES, body)

    def revoke_clearance(self, id: str) -> None:
        self._transport.entity("DELETE", f"{self._CLEARANCES}/{_part(id)}")


class _Jobs(_Listed):
    """Jobs: one check, answered later. `all` lists single jobs without their results."""

    _path = "/api/v1/jobs"

    def create(self, check: str, input: Json, *, idempotency_key: Optional[str] = None, **terms: Any) -> Json:
        """`terms`: reference, metadata, callback_url, consent, cache. None: without it."""
        known = {name: value for name, value in terms.items() if value is not None}
        return self._post(self._path, {"check": check, "input": input, **known}, idempotency_key)

    def get(self, id: str, *, purpose: Optional[str] = None) -> Json:
        return self._transport.entity("GET", f"{self._path}/{_part(id)}", headers=_stated(purpose))

    def wait(self, id: str, timeout: Optional[float] = None) -> Json:
        """Until the job has ended, whether it was answered or failed. Raises `StillRunning` after `timeout` seconds."""

        def ask(wait: int) -> Json:
            return self._transport.entity("GET", f"{self._path}/{_part(id)}", query={"wait": wait}, timeout=wait + 30)

        return _wait_for(id, ask, _is_job_over, timeout)

    def lookups(self, id: str) -> List[Json]:
        """Which vendors were asked for it."""
        return self._get(f"{self._path}/{_part(id)}/lookups")["data"]

    def reveal(self, id: str, *, purpose: str, **body: Any) -> Json:
        """In clear, for a purpose that the audit keeps; an approval if a second person must agree first."""
        return self._post(f"{self._path}/{_part(id)}/reveal", {"purpose": purpose, **body})

    def image(self, id: str, side: str, *, purpose: Optional[str] = None) -> bytes:
        """A picture that was submitted, while it is kept: the `selfie` or the `portrait`."""
        return self._transport.bytes(f"{self._path}/{_part(id)}/images/{_part(side)}", headers=_stated(purpose))

    def report(self, id: str, *, purpose: Optional[str] = None) -> bytes:
        """A screening as a PDF."""
        return self._transport.bytes(f"{self._path}/{_part(id)}/report", headers=_stated(purpose))


class _Batches(_Listed):
    """Batches: files of rows, from their preview to their results. Options are those of docs/uploads.md."""

    _path = "/api/v1/batches"

    def preview(self, source: Source, **options: Any) -> Json:
        """What the file holds and how its columns would be taken. Nothing is kept."""
        return self._send(f"{self._path}/preview", _beginning(_File(source, options.pop("name", None))), options)

    def quote(self, source: Source, *, checks: Sequence[str], **options: Any) -> Json:
        """What the whole file would cost. Nothing is kept or held."""
        return self._send(f"{self._path}/quote", _File(source, options.pop("name", None)), {"checks": checks, **options})

    def upload(self, source: Source, *, checks: Sequence[str], idempotency_key: Optional[str] = None, **options: Any) -> Json:
        """Submits the file; a large one is never whole in memory."""
        file = _File(source, options.pop("name", None))
        return self._send(self._path, file, {"checks": checks, **options}, idempotency_key)

    def _send(self, path: str, file: _File, options: Json, idempotency_key: Optional[str] = None) -> Json:
        query = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in options.items()}
        return self._transport.entity("POST", path, query=query, file=file, headers=_key(idempotency_key), timeout=_FILE_TIMEOUT)

    def get(self, id: str) -> Json:
        return self._get(f"{self._path}/{_part(id)}")

    def jobs(self, id: str, **query: Any) -> Json:
        """A page of its rows, a job for each check. `query`: from_row, reference, status, outcome, check, billed, limit, cursor."""
        return self._get(f"{self._path}/{_part(id)}/jobs", **query)

    def invalid_rows(self, id: str, **query: Any) -> Json:
        """A page of its invalid rows, each with what is wrong with it. `query`: from_row, limit, cursor."""
        return self._get(f"{self._path}/{_part(id)}/invalid-rows", **query)

    def rows(self, reference: str, **query: Any) -> Json:
        """A page of the rows of all batches that have a reference, as far as one request can search. `query`: limit, cursor."""
        return self._get("/api/v1/rows", reference=reference, **query)

    def history(self, id: str) -> List[Json]:
        """Its statuses, with when and why."""
        return self._get(f"{self._path}/{_part(id)}/history")["data"]

    def timeline(self, id: str) -> Json:
        """Outcomes over time."""
        return self._get(f"{self._path}/{_part(id)}/timeline")

    def failures(self, id: str) -> List[Json]:
        """Why checks failed, and how many for each reason, the most frequent first."""
        return self._get(f"{self._path}/{_part(id)}/failures")["data"]

    def start(self, id: str) -> Json:
        """Of a batch that waits for it; an approval if a second person must agree first."""
        return self._post(f"{self._path}/{_part(id)}/start")

    def control(self, id: str, verb: str) -> Json:
        """`pause`, `resume`, `cancel` or `retry`."""
        return self._post(f"{self._path}/{_part(id)}/{verb}")

    def hold(self, id: str, is_held: bool) -> Json:
        """Places a legal hold, under which nothing of the batch is deleted, or lifts it."""
        return self._transport.entity("PUT" if is_held else "DELETE", f"{self._path}/{_part(id)}/legal-hold")

    def delete(self, id: str) -> Json:
        """Deletes a batch that is over. Its data is unreadable at once, and its rows are deleted soon after."""
        return self._transport.entity("DELETE", f"{self._path}/{_part(id)}")

    def watch(self, id: str, timeout: Optional[float] = None) -> Iterator[Json]:
        """What happens to a batch until it is over: `{"type": "status", "change": …}` and, at most once a second, `{"type": "progress", "progress": …}`.
        It begins with what has happened: the end of a batch that was retried since is not its last event. A stream that is cut goes on where it was,
        however long the service is away. Raises `StillRunning` after `timeout` seconds."""
        status = "unknown"
        try:
            for type, data in self._transport.events(f"{self._path}/{_part(id)}/events", _deadline(timeout)):
                if type == "progress":
                    yield {"type": type, "progress": json.loads(data)}
                elif type == "status":
                    change = json.loads(data)
                    status = change["status"]
                    yield {"type": type, "change": change}
        except _TimeIsUp:
            raise StillRunning(id, status) from None

    def wait(self, id: str, timeout: Optional[float] = None, on_progress: Optional[Callable[[Json], None]] = None) -> Json:
        """Until the batch is over, however it ended: see its `status`. `on_progress` gets the batch as it changes."""
        tag: Optional[str] = None
        batch: Json = {}

        def ask(wait: int) -> Json:
            nonlocal tag, batch
            headers = {"If-None-Match": tag} if tag else {}
            query = {"wait": wait} if tag else {}
            with self._transport.open("GET", f"{self._path}/{_part(id)}", query=query, headers=headers, timeout=wait + 30) as response:
                if response.status != 304:
                    batch, tag = json.loads(b"".join(_pieces_of(response)))["entity"], response.headers.get("ETag")
                    if on_progress:
                        on_progress(batch)
            return batch

        return _wait_for(id, ask, lambda batch: batch["status"] in _OVER, timeout)

    def results(
        self, id: str, *, outcome: Union[str, Sequence[str], None] = None, since: Optional[str] = None, purpose: Optional[str] = None
    ) -> Iterator[Json]:
        """Row by row in submitted order, also while the batch runs. A download that is cut goes on behind the last row."""
        query = {"format": "jsonl", "outcome": outcome, "since": since}
        last = failures = 0
        while True:
            try:
                with self._transport.open("GET", f"{self._path}/{_part(id)}/results", query=query, headers=_stated(purpose)) as response:
                    for line in _lines_of(response):
                        row = json.loads(line)
                        if row["row"] > last:
                            last, failures = row["row"], 0
                            yield row
                return
            except (Refused, Unreachable) as error:
                failures += 1
                if failures > _CUTS or not _is_outage(error):
                    raise
                time.sleep(failures)

    def save(self, id: str, path: Path, format: str = "csv", *, purpose: Optional[str] = None, **query: Any) -> Optional[Json]:
        """Writes the results to a file: `csv`, `jsonl` or `xlsx`. Answers None, or the approval that the download waits for."""
        return self._transport.save(f"{self._path}/{_part(id)}/results", path, {"format": format, **query}, _stated(purpose))

    def save_errors(self, id: str, path: Path, format: Optional[str] = None, *, purpose: Optional[str] = None) -> Optional[Json]:
        """Writes the invalid rows to a file, as they were uploaded, each with what is wrong; to be corrected and uploaded. `format`: `csv` or `xlsx` for those of a table."""
        return self._transport.save(f"{self._path}/{_part(id)}/errors", path, {"format": format}, _stated(purpose))

    def link(self, id: str, *, purpose: Optional[str] = None, idempotency_key: Optional[str] = None, **terms: Any) -> Json:
        """A signed address of its results, for somebody without a key. `terms`: kind, format, outcome, expires_in_seconds. Or an approval."""
        headers = {**_key(idempotency_key), **_stated(purpose)}
        return self._transport.entity("POST", f"{self._path}/{_part(id)}/links", body=terms, headers=headers)

    def links(self, id: str, **query: Any) -> Json:
        """A page of them, without their addresses."""
        return self._get(f"{self._path}/{_part(id)}/links", **query)

    def revoke_link(self, id: str) -> None:
        self._post(f"/api/v1/links/{_part(id)}/revoke")


class _Wallet(_Resource):
    """Balance, entries, statements, usage and prices (docs/money.md)."""

    _path = "/api/v1/wallet"

    def get(self) -> Json:
        return self._get(self._path)

    def limits(self) -> Json:
        return self._get(f"{self._path}/limits")

    def prices(self) -> List[Json]:
        return self._get("/api/v1/prices")["data"]

    def entries(self, **query: Any) -> Iterator[Json]:
        """`query`: kind, since, until."""
        return self._transport.items(f"{self._path}/entries", query)

    def entries_page(self, **query: Any) -> Json:
        return self._get(f"{self._path}/entries", **query)

    def save_entries(self, path: Path, **query: Any) -> None:
        """Writes every entry that matches to a file, as CSV."""
        self._transport.save(f"{self._path}/entries", path, {**query, "format": "csv"})

    def batch_charges(self, **query: Any) -> Iterator[Json]:
        """A line for each batch, check and price, newest batch first. `query`: since, until (when the batch was submitted).
        The jobs of a line: `batches.jobs(line["batch"], check=line["check"], billed=line["price"])`."""
        return self._transport.items(f"{self._path}/entries", {**query, "by": "batch"})

    def batch_charges_page(self, **query: Any) -> Json:
        return self._get(f"{self._path}/entries", **query, by="batch")

    def save_batch_charges(self, path: Path, **query: Any) -> None:
        """Writes every line that matches to a file, as CSV."""
        self._transport.save(f"{self._path}/entries", path, {**query, "by": "batch", "format": "csv"})

    def statement(self, month: str) -> Json:
        """`month`: YYYY-MM, UTC."""
        return self._get(f"{self._path}/statements/{_part(month)}")

    def save_statement(self, month: str, path: Path) -> None:
        self._transport.save(f"{self._path}/statements/{_part(month)}", path, {"format": "csv"})

    def usage(self, **query: Any) -> Json:
        """What was used and what it cost. `query`: from (as `**{"from": …}`), to, group."""
        return self._get("/api/v1/usage", **query)

    def save_usage(self, path: Path, **query: Any) -> None:
        self._transport.save("/api/v1/usage", path, {**query, "format": "csv"})


class _Reviews(_Listed):
    """Review cases: what a person must decide (docs/reviews.md). `all` takes state, kind, assignee, job."""

    _path = "/api/v1/reviews"

    def get(self, id: str, *, purpose: Optional[str] = None) -> Json:
        """With its notes and a summary of the result."""
        return self._transport.entity("GET", f"{self._path}/{_part(id)}", headers=_stated(purpose))

    def assign(self, id: str, assignee: Optional[str]) -> Json:
        """`me`, the id of a person, or None for nobody."""
        return self._post(f"{self._path}/{_part(id)}/assign", {"assignee": assignee})

    def comment(self, id: str, text: str, *, idempotency_key: Optional[str] = None) -> Json:
        return self._post(f"{self._path}/{_part(id)}/comment", {"text": text}, idempotency_key)

    def decide(self, id: str, decision: str, reason: str) -> Json:
        """`approve`, `reject` or `escalate`."""
        return self._post(f"{self._path}/{_part(id)}/decide", {"decision": decision, "reason": reason})


class _Endpoints(_Listed):
    """Webhook endpoints and their deliveries (docs/webhooks.md). To verify a message: `webhooks.verify` of this module."""

    _path = "/api/v1/webhooks/endpoints"
    _DELIVERIES = "/api/v1/webhooks/deliveries"

    def get(self, id: str) -> Json:
        return self._get(f"{self._path}/{_part(id)}")

    def create(self, url: str, *, idempotency_key: Optional[str] = None, **terms: Any) -> Json:
        """With its `secret`, which no later answer has. `terms`: events, description, signing, rate_per_second, encryption_key, disabled."""
        return self._post(self._path, {"url": url, **terms}, idempotency_key)

    def change(self, id: str, **terms: Any) -> Json:
        return self._transport.entity("PATCH", f"{self._path}/{_part(id)}", body=terms)

    def remove(self, id: str) -> None:
        self._transport.entity("DELETE", f"{self._path}/{_part(id)}")

    def rotate(self, id: str, *, revoke_previous: bool = False, idempotency_key: Optional[str] = None) -> Json:
        """A new secret. Messages carry both signatures for a day, unless the old one is revoked."""
        return self._post(f"{self._path}/{_part(id)}/rotate", {"revoke_previous": revoke_previous}, idempotency_key)

    def test(self, id: str) -> Json:
        """Sends `endpoint.test`; answers its delivery."""
        return self._post(f"{self._path}/{_part(id)}/test")

    def replay(self, id: str, since: str, *, idempotency_key: Optional[str] = None, **terms: Any) -> Json:
        """Sends events again. `terms`: until, missing_only."""
        return self._post(f"{self._path}/{_part(id)}/replay", {"since": since, **terms}, idempotency_key)

    def deliveries(self, id: str, **query: Any) -> Iterator[Json]:
        return self._transport.items(f"{self._path}/{_part(id)}/deliveries", query)

    def deliveries_page(self, id: str, **query: Any) -> Json:
        return self._get(f"{self._path}/{_part(id)}/deliveries", **query)

    def delivery(self, id: str) -> Json:
        """With its message and attempts."""
        return self._get(f"{self._DELIVERIES}/{_part(id)}")

    def redeliver(self, id: str) -> Json:
        return self._post(f"{self._DELIVERIES}/{_part(id)}/redeliver")


class _Keys(_Listed):
    """The app's API keys. `create` and `rotate` answer the key itself, which no later answer has."""

    _path = "/api/v1/keys"

    def create(self, name: str, *, idempotency_key: Optional[str] = None, **terms: Any) -> Json:
        """`terms`: scopes, checks, addresses, daily_cap, expires_at (docs/api.md)."""
        return self._post(self._path, {"name": name, **terms}, idempotency_key)

    def change(self, id: str, **terms: Any) -> Json:
        return self._transport.entity("PATCH", f"{self._path}/{_part(id)}", body=terms)

    def rotate(self, id: str, *, overlap_seconds: Optional[int] = None, idempotency_key: Optional[str] = None) -> Json:
        """A new key with the same terms. The old one works for `overlap_seconds` more; None: the service's default."""
        body = {} if overlap_seconds is None else {"overlap_seconds": overlap_seconds}
        return self._post(f"{self._path}/{_part(id)}/rotate", body, idempotency_key)

    def revoke(self, id: str) -> Json:
        return self._post(f"{self._path}/{_part(id)}/revoke")


class _Audit(_Listed):
    """Who read and changed what in the app (docs/audit.md)."""

    _path = "/api/v1/audit"

    def save(self, path: Path, **query: Any) -> None:
        """Writes everything that matches to a file, as CSV."""
        self._transport.save(self._path, path, {**query, "format": "csv"})


class _Subjects(_Resource):
    """Everything held on a person (docs/privacy.md). `identifiers`: such as [{"type": "nin", "value": "70123456789"}]. `purpose` goes into the audit."""

    def export(
        self, identifiers: List[Json], *, reason: Optional[str] = None, purpose: str = "subject_request", idempotency_key: Optional[str] = None
    ) -> Json:
        return self._ask("export", {"identifiers": identifiers, **({"reason": reason} if reason else {})}, purpose, idempotency_key)

    def exports(self, **query: Any) -> Json:
        return self._get("/api/v1/subjects/exports", **query)

    def places(self, id: str, *, purpose: Optional[str] = None, **query: Any) -> Json:
        """Where an export that is done has found the person: jobs, calls and rows of batches."""
        return self._transport.entity("GET", f"/api/v1/subjects/exports/{_part(id)}/places", query=query, headers=_stated(purpose))

    def save(self, id: str, path: Path, *, purpose: Optional[str] = None) -> Optional[Json]:
        """Writes the file of an export that is done; or answers the approval that it waits for."""
        return self._transport.save(f"/api/v1/subjects/exports/{_part(id)}/file", path, {}, _stated(purpose))

    def erase(self, identifiers: List[Json], *, purpose: str = "subject_request", idempotency_key: Optional[str] = None) -> Json:
        return self._ask("erase", {"identifiers": identifiers}, purpose, idempotency_key)

    def erasure(self, id: str) -> Json:
        return self._get(f"/api/v1/subjects/erasures/{_part(id)}")

    def erasures(self, **query: Any) -> Json:
        return self._get("/api/v1/subjects/erasures", **query)

    def check_receipt(self, receipt: str, signature: str) -> bool:
        """Whether this deployment has signed exactly this receipt."""
        return self._post("/api/v1/subjects/receipts", {"receipt": receipt, "signature": signature})["valid"]

    def hold(
        self, identifiers: List[Json], *, reason: Optional[str] = None, purpose: str = "legal", idempotency_key: Optional[str] = None
    ) -> Json:
        """Nothing about the person is deleted or erased until `lift_hold`."""
        return self._ask("holds", {"identifiers": identifiers, **({"reason": reason} if reason else {})}, purpose, idempotency_key)

    def holds(self, **query: Any) -> Json:
        return self._get("/api/v1/subjects/holds", **query)

    def lift_hold(self, id: str) -> Json:
        return self._transport.entity("DELETE", f"/api/v1/subjects/holds/{_part(id)}")

    def _ask(self, what: str, body: Json, purpose: str, idempotency_key: Optional[str]) -> Json:
        headers = {**_key(idempotency_key), **_stated(purpose)}
        return self._transport.entity("POST", f"/api/v1/subjects/{what}", body=body, headers=headers)


class _Consents(_Resource):
    """Consents of the people who are looked up (docs/privacy.md)."""

    def withdraw(self, reference: str) -> Json:
        """Ends the monitors under it; look-ups that name it are refused from now on."""
        return self._post("/api/v1/consents/withdrawals", {"reference": reference})

    def withdrawals(self, **query: Any) -> Json:
        return self._get("/api/v1/consents/withdrawals", **query)

    def lookups(self, **query: Any) -> Json:
        """How much was looked up for which purpose. `from` is a word of Python: `lookups(**{"from": "2026-11-01", "to": "2026-11-30"})`."""
        return self._get("/api/v1/consents/lookups", **query)

    def save_lookups(self, path: Path, **query: Any) -> None:
        self._transport.save("/api/v1/consents/lookups", path, {**query, "format": "csv"})


def _is_job_over(job: Json) -> bool:
    return job["status"] in ("completed", "failed", "canceled") or (job["status"] == "duplicate" and job["completed_at"] is not None)


def _wait_for(id: str, ask: Callable[[int], Json], is_over: Callable[[Json], bool], timeout: Optional[float]) -> Json:
    """Asks until it is over. The first question is answered at once, and fails like any other; later on an outage does not end the wait, its time limit does."""
    deadline = _deadline(timeout)
    shown: Optional[Json] = None
    while True:
        try:
            shown = ask(0 if shown is None else _seconds_left(deadline))
        except (Refused, Unreachable) as error:
            if shown is None or not _is_outage(error) or time.monotonic() >= deadline:
                raise
            time.sleep(_OUTAGE_PAUSE)
            continue
        if is_over(shown):
            return shown
        if time.monotonic() >= deadline:
            raise StillRunning(id, shown["status"])


def _lines_of(response: Any) -> Iterator[bytes]:
    rest = b""
    for piece in _pieces_of(response):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        raise Unreachable("The answer ends within a line")


def _pieces_of(response: Any) -> Iterator[bytes]:
    """As they arrive. Raises `Unreachable` if the connection ends before the answer does, which `read1` and `for line in response` take for its end."""
    length = response.headers.get("Content-Length")
    size = 0
    try:
        while piece := response.read1(_PIECE):
            size += len(piece)
            yield piece
    except (OSError, HTTPException) as error:
        raise Unreachable("The answer was cut") from error
    if length is not None and size < int(length):
        raise Unreachable("The answer was cut")


class _Answered(Exception):
    """The service reads no more of the body, because it has refused the request."""


class _Connection(HTTPConnection):
    """A connection that reads the answer even if the service hangs up before it has the whole body. `http.client` would only say that the pipe is broken."""

    def request(self, *args: Any, **options: Any) -> None:
        with contextlib.suppress(_Answered):
            super().request(*args, **options)

    def send(self, data: Any) -> None:
        try:
            super().send(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            if self.sock is None:
                raise
            raise _Answered from error


class _TlsConnection(_Connection, HTTPSConnection):
    pass


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Connection, request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_TlsConnection, request)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The library would send the key to wherever an answer leads, and make a GET of a POST."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Transport:
    def __init__(self, base_url: str, headers: Dict[str, str], retries: int, timeout: float, log: Optional[Callable[[Json], None]]) -> None:
        self._base_url = base_url
        self._headers = headers
        self._retries = retries
        self._timeout = timeout
        self._log = log
        self._opener = urllib.request.build_opener(_HttpHandler, _HttpsHandler, _NoRedirects)

    def entity(self, method: str, path: str, **options: Any) -> Any:
        return self.read(method, path, **options)["entity"]

    def items(self, path: str, query: Json) -> Iterator[Json]:
        cursor = None
        while True:
            page = self.entity("GET", path, query={**query, "cursor": cursor})
            yield from page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def read(self, method: str, path: str, **options: Any) -> Json:
        return self._request(method, path, json.load, **options)

    def open(self, method: str, path: str, **options: Any) -> Any:
        """The answer, which the caller reads and closes."""
        return self._request(method, path, None, **options)

    def bytes(self, path: str, **options: Any) -> bytes:
        return self._request("GET", path, lambda response: response.read(), **options)

    def save(self, path: str, file: Path, query: Json, headers: Optional[Dict[str, str]] = None) -> Optional[Json]:
        """The file appears when it is whole. Answers the approval that the download waits for, if there is one; then nothing is written."""
        with self.open("GET", path, query=query, headers=headers) as response:
            if response.status == 202:
                return json.load(response)["entity"]
            part = f"{os.fspath(file)}.part"
            try:
                with open(part, "wb") as written:
                    for piece in _pieces_of(response):
                        written.write(piece)
                os.replace(part, file)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.remove(part)
                raise
        return None

    def events(self, path: str, deadline: float) -> Iterator[Tuple[str, str]]:
        """Type and data of server-sent events until the service ends them. After a lost connection or a temporary refusal, connects again where it was."""
        last: Optional[str] = None
        retry = _OUTAGE_PAUSE
        while True:
            asked = 0.0
            try:
                silence = min(_SILENCE, max(0.1, deadline - time.monotonic()))
                with self.open("GET", path, headers={"Last-Event-ID": last} if last else {}, timeout=silence) as response:
                    if response.status == 204:
                        return
                    type, data = "message", []
                    for line in _lines_of(response):
                        if time.monotonic() >= deadline:
                            raise _TimeIsUp
                        text = line.decode().rstrip("\r")
                        name, _, value = text.partition(":")
                        value = value[1:] if value.startswith(" ") else value
                        if name == "event":
                            type = value
                        elif name == "data":
                            data.append(value)
                        elif name == "id":
                            last = value
                        elif name == "retry" and value.isdigit():
                            retry = int(value) / 1000
                        elif text == "":
                            if data:
                                yield type, "\n".join(data)
                            type, data = "message", []
            except (Refused, Unreachable) as error:
                if not _is_outage(error):
                    raise
                asked = getattr(error, "retry_after", None) or 0.0
            pause = max(retry, asked)
            time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
            if time.monotonic() >= deadline:
                raise _TimeIsUp

    def _request(
        self,
        method: str,
        path: str,
        read: Optional[Callable[[Any], Any]],
        *,
        query: Optional[Json] = None,
        body: Optional[Json] = None,
        file: Optional[_File] = None,
        headers: Optional[Dict[str, str]] = None,
        timeout: Optional[float] = None,
        is_charged: bool = False,
    ) -> Any:
        """`read` is part of each attempt. `is_charged`: once its answer is lost, a GET may have cost money, and is not repeated."""
        sent = {**self._headers, **(headers or {})}
        if method == "POST":
            sent.setdefault("Idempotency-Key", _random_secrets.token_hex(16))
        for name, value in sent.items():
            if not _fits_header(value):
                raise ValueError(f"{name} must be printable ASCII")
        can_replay = file is None or file.can_replay
        is_repeatable = method != "DELETE" and not is_charged
        attempt = 0
        while True:
            attempt += 1
            request = urllib.request.Request(self._base_url + path + _query_string(query or {}), method=method, headers=sent)
            if body is not None:
                request.data = json.dumps(body, default=_in_json).encode()
                request.add_header("Content-Type", "application/json")
            if file is not None:
                file.attach(request)
            began = time.monotonic()
            error: Exception
            try:
                response = self._opener.open(request, timeout=timeout or self._timeout)
                request_id = response.headers.get("X-Request-Id")
                answer = response
                if read:
                    with response:
                        answer = read(response)
                self._tell(method, path, attempt, response.status, None, request_id, began)
                return answer
            except urllib.error.HTTPError as answered:
                if answered.code == 304:
                    return answered
                error = _refusal(answered)
                self._tell(method, path, attempt, error.status, error.code, error.request_id, began)
                pause = _pause_after(error, attempt, is_repeatable)
            except (OSError, HTTPException, ValueError) as lost:
                if file is not None and file.failure:
                    raise file.failure from None
                error = Unreachable("The service cannot be reached")
                error.__cause__ = lost
                self._tell(method, path, attempt, None, None, None, began)
                pause = _back_off(attempt) if is_repeatable else None
            if pause is None or attempt > self._retries or not can_replay:
                raise error
            time.sleep(pause)

    def _tell(self, method: str, path: str, attempt: int, status: Any, code: Any, request_id: Any, began: float) -> None:
        if self._log:
            entry = {"method": method, "path": path, "attempt": attempt, "status": status, "code": code, "request_id": request_id}
            self._log({**entry, "seconds": round(time.monotonic() - began, 3)})


def _back_off(attempt: int) -> float:
    return min(_FIRST_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE) * random.uniform(0.5, 1)


def _pause_after(error: Refused, attempt: int, is_repeatable: bool) -> Optional[float]:
    """None: trying again would not help, or could do something twice."""
    may_pass = error.status == 429 or error.code == "idempotency_in_progress" or (error.status == 503 and error.code != _LASTING)
    if not may_pass and not (is_repeatable and error.status in (500, 502, 504)):
        return None
    asked = error.retry_after or 0
    if asked > _LONGEST_RETRY_AFTER:
        return None
    return asked + random.uniform(0, _FIRST_PAUSE) if asked > 0 else _back_off(attempt)


def _is_outage(error: Union[Refused, Unreachable]) -> bool:
    """It passes by itself, and soon."""
    if isinstance(error, Unreachable):
        return True
    return (error.status >= 500 or error.status == 429) and (error.retry_after or 0) <= _LONGEST_RETRY_AFTER


def _refusal(answered: urllib.error.HTTPError) -> Refused:
    with answered:
        try:
            body = json.load(answered)
        except (OSError, HTTPException, ValueError):
            body = {}
        if 300 <= answered.code < 400:
            # Without its path and query, which may have personal data.
            leads = urllib.parse.urlsplit(answered.headers.get("Location") or "")
            elsewhere = f" ({leads.scheme}://{leads.netloc})" if leads.netloc else ""
            body = {"error": f"The answer leads to another address{elsewhere}: is base_url right?"}
    return Refused(answered.code, body if isinstance(body, dict) else {}, answered.headers.get("Retry-After"))


def _seconds_until(retry_after: Optional[str]) -> Optional[float]:
    if retry_after is None:
        return None
    if retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _query_string(query: Json) -> str:
    """None and empty values are left out; lists are joined by commas."""
    pairs = []
    for name, value in query.items():
        if value is True or value is False:
            value = str(value).lower()
        elif value is not None and not isinstance(value, (str, int, float)):
            value = ",".join(value)
        if value is not None and value != "":
            pairs.append((name, value))
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _part(id: str) -> str:
    """Part of a path: what stands for an id cannot lead to another path. Raises `Refused` like the service for what no id can be."""
    if not isinstance(id, str):
        raise TypeError(f'An id is a string, such as batch["id"], not {type(id).__name__}')
    if id in ("", ".", ".."):
        raise Refused(404, {"error": f'"{id}" is not an id', "code": "resource_not_found"}, None)
    return urllib.parse.quote(id, safe="")


def _fits_header(value: str) -> bool:
    return value != "" and value.isascii() and value.isprintable()


def _key(idempotency_key: Optional[str]) -> Dict[str, str]:
    return {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}


def _stated(purpose: Optional[str]) -> Dict[str, str]:
    """Why personal data is read, for the audit."""
    return {} if purpose is None else {"Audit-Purpose": purpose}


def _deadline(timeout: Optional[float]) -> float:
    return float("inf") if timeout is None else time.monotonic() + timeout


def _seconds_left(deadline: float) -> int:
    left = deadline - time.monotonic()
    return _WAIT if left >= _WAIT else max(0, int(left + 0.999))


class _File:
    """A source as the body of a request. What cannot be read again is sent once only."""

    def __init__(self, source: Source, name: Optional[str]) -> None:
        if isinstance(source, io.TextIOBase):
            raise TypeError('The file is open as text; open it with "rb", or pass its path')
        self.failure: Optional[Exception] = None
        self._source = source
        # Whatever reads like a file is one.
        stream: Any = source if hasattr(source, "read") else None
        self._stream = stream
        self.can_replay = stream.seekable() if stream is not None else isinstance(source, (str, os.PathLike, bytes, bytearray, list, tuple))
        self._start = stream.tell() if stream is not None and self.can_replay else 0
        is_rows = stream is None and not isinstance(source, (str, os.PathLike, bytes, bytearray))
        known = name or (os.fspath(source) if isinstance(source, (str, os.PathLike)) else getattr(source, "name", ""))
        ending = str(known).rsplit(".", 1)[-1].lower()
        self.type = _TYPES["ndjson"] if is_rows else _TYPES.get(ending, "text/csv")

    def attach(self, request: urllib.request.Request) -> None:
        request.add_header("Content-Type", self.type)
        if isinstance(self._source, (bytes, bytearray)):
            request.data = bytes(self._source)
            return
        # The length of what is read piece by piece is not known: it is sent in chunks.
        request.add_header("Transfer-Encoding", "chunked")
        request.data = self.pieces()

    def pieces(self) -> Iterator[bytes]:
        """Remembers what the source itself raises, which is not the service's fault."""
        try:
            if self._stream is not None:
                if self.can_replay:
                    self._stream.seek(self._start)
                yield from iter(lambda: self._stream.read(_PIECE), b"")
            elif isinstance(self._source, (bytes, bytearray)):
                yield bytes(self._source)
            elif isinstance(self._source, (str, os.PathLike)):
                with open(self._source, "rb") as file:
                    yield from iter(lambda: file.read(_PIECE), b"")
            else:
                yield from _lines(cast("Iterable[Mapping[str, Any]]", self._source))
        except GeneratorExit:
            raise
        except Exception as error:
            self.failure = error
            raise


def _in_json(value: Any) -> str:
    """What JSON has no form for: bytes, as of a picture, and dates. Midnight is a date, as pandas has it."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"A value cannot be a {type(value).__name__}")


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    piece = bytearray()
    for row in rows:
        if not isinstance(row, Mapping):
            raise TypeError(f"A row must be a dictionary, not {type(row).__name__}")
        # JSON has no NaN, by which pandas means that nothing is there.
        known = {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}
        piece += json.dumps(known, default=_in_json, ensure_ascii=False).encode() + b"\n"
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def _beginning(file: _File) -> _File:
    """As much of a file as its preview reads: of a text the first 256 KiB."""
    is_text = file.type.startswith("text/") or "json" in file.type
    read = bytearray()
    for piece in file.pieces():
        read += piece
        if is_text and len(read) >= _PREVIEW_BYTES:
            break
    cut = _File(bytes(read[:_PREVIEW_BYTES] if is_text else read), None)
    cut.type = file.type
    return cut


class WebhookRefused(Exception):
    """The message is not to be believed, or the call is wrong: answer 400 and do nothing. `code` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class webhooks:
    """Verifies webhooks (Standard Webhooks 1.0.0; docs/webhooks.md)."""

    @staticmethod
    def verify(
        raw_body: bytes, headers: Mapping[str, str], secret: Union[str, Sequence[str]], tolerance: float = 300, now: Optional[float] = None
    ) -> Json:
        """The event of a message. `raw_body`: the bytes as received, before anything parsed them. `secret`: `whsec_…`, or `whpk_…` of an endpoint
        with `v1a`; several while they are rotated. It remembers nothing: a message may come twice, with the same `webhook-id`."""
        if not isinstance(raw_body, (bytes, bytearray)):
            what = "text" if isinstance(raw_body, str) else "a parsed object"
            raise WebhookRefused("body_is_not_bytes", f"The body is {what}; pass the bytes as they arrived: the signature covers them, and JSON that is written again differs")
        keys = [_webhook_key(one) for one in ([secret] if isinstance(secret, str) else list(secret or [])) if one]
        if not keys:
            raise WebhookRefused("no_secret", "There is no secret to verify with: is its environment variable set?")
        found = {name.lower(): value for name, value in headers.items()}
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            if not found.get(name):
                raise WebhookRefused("missing_header", f"The header {name} is missing")
        _refuse_time(found["webhook-timestamp"], tolerance, time.time() if now is None else now)
        signed = f"{found['webhook-id']}.{found['webhook-timestamp']}.".encode() + bytes(raw_body)
        fits = False
        for signature in found["webhook-signature"].split(" ")[:8]:
            version, _, text = signature.partition(",")
            given = _from_base64(text)
            for scheme, key in keys:
                if scheme != version or given is None:
                    continue
                # Each is tried, whether or not another one fitted.
                fits |= hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest(), given) if scheme == "v1" else _ed25519_verify(key, signed, given)
        if not fits:
            raise WebhookRefused("wrong_signature", "No signature fits this body and these secrets")
        try:
            return json.loads(raw_body)
        except ValueError:
            raise WebhookRefused("bad_body", "The signature is right, but the body is no JSON") from None


def _webhook_key(secret: str) -> "tuple[str, bytes]":
    secret = secret.strip()
    is_public = secret.startswith("whpk_")
    key = _from_base64(secret.split("_", 1)[1] if secret.startswith(("whsec_", "whpk_")) else secret)
    if key is None or len(key) < 24 or (is_public and len(key) != 32):
        raise WebhookRefused("bad_secret", "A secret is not of the form whsec_… or whpk_…, as Confam shows it")
    return ("v1a" if is_public else "v1"), key


def _refuse_time(timestamp: str, tolerance: float, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise WebhookRefused("bad_timestamp", "webhook-timestamp is not a number of seconds")
    if now - int(timestamp) > tolerance:
        raise WebhookRefused("too_old", f"The message is more than {tolerance} s old")
    if int(timestamp) - now > tolerance:
        raise WebhookRefused("too_new", f"The message is from more than {tolerance} s ahead")


def _from_base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


# Ed25519 (RFC 8032, 5.1), verification alone, which knows no secret and so need not take constant time. The standard library has none. Takes some 5 ms.
_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def _ed25519_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(signature) != 64:
        return False
    a, r = _point(public), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= _L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % _L
    left, right = _times(s, _BASE), _plus(r, _times(k, a))
    return (left[0] * right[2] - right[0] * left[2]) % _P == 0 and (left[1] * right[2] - right[1] * left[2]) % _P == 0


_Point = Tuple[int, int, int, int]


def _point(text: bytes) -> Optional[_Point]:
    """Extended coordinates of an encoded point; None if there is none."""
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _ROOT % _P
    if (x * x - square) % _P != 0 or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _plus(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: _Point) -> _Point:
    sum = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            sum = _plus(sum, point)
        point = _plus(point, point)
        factor >>= 1
    return sum


_BASE = cast(_Point, _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little")))
