"""A small ledger served by the Python SDK 1.x: a server of the legacy kind.

It knows `initialize` and sessions, and nothing of server/discover. The checker
must say so in one finding instead of failing everything else.

    python ledger.py --http | --stdio  [--stateless]

`--stateless` makes the HTTP server forget sessions and answer in plain JSON.
"""

import base64
import json
import socket
import sys
from typing import Annotated, Literal

import anyio
import uvicorn
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.fastmcp.resources import FunctionResource
from mcp.types import Completion, ToolAnnotations
from pydantic import BaseModel, Field


class Invoice(BaseModel):
    id: str
    customer: str
    region: str
    cents: int
    status: Literal["open", "paid"]


class Consent(BaseModel):
    send: bool = Field(description="Really send it?")


INVOICES = [
    Invoice(id="INV-1001", customer="acme", region="north", cents=125000, status="open"),
    Invoice(id="INV-1002", customer="globex", region="south", cents=9900, status="paid"),
    Invoice(id="INV-1003", customer="acme", region="south", cents=43050, status="open"),
]
# The smallest valid PNG: one transparent pixel.
LOGO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
READ_ONLY = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
STATELESS = "--stateless" in sys.argv

server = FastMCP(
    "ledger-mcp1",
    instructions="Invoices of a small company. Amounts are in cents.",
    stateless_http=STATELESS,
    json_response=STATELESS,
    log_level="WARNING",
)


def find(number: str) -> Invoice | None:
    return next((invoice for invoice in INVOICES if invoice.id == number), None)


@server.tool(title="Get an invoice", annotations=READ_ONLY)
def get_invoice(id: Annotated[str, Field(description="Invoice number, such as INV-1001")]) -> Invoice:
    """Returns one invoice by its number."""
    invoice = find(id)
    if invoice is None:
        raise ToolError(f"there is no invoice {id}")
    return invoice


@server.tool(annotations=READ_ONLY, structured_output=False)
def list_invoices(status: Literal["open", "paid"] | None = None) -> str:
    """Lists invoice numbers, all of them or those with one status."""
    return "\n".join(invoice.id for invoice in INVOICES if status in (None, invoice.status))


@server.tool(structured_output=False)
async def email_invoice(id: str, to: str, ctx: Context) -> str:
    """Emails an invoice after asking the user. Nothing leaves this process."""
    answer = await ctx.elicit(f"Send {id} to {to}?", Consent)
    agreed = answer.action == "accept" and answer.data.send
    return f"sent {id} to {to}" if agreed else f"did not send {id}"


@server.tool(annotations=READ_ONLY, structured_output=False)
async def reconcile(ctx: Context, steps: Annotated[int, Field(ge=1, le=20)] = 3) -> str:
    """Compares the books step by step and reports progress."""
    for step in range(1, steps + 1):
        await anyio.sleep(0.1)
        await ctx.report_progress(step, steps, f"step {step}")
    return f"reconciled in {steps} steps"


def add_year(year: str) -> None:
    def book() -> str:
        return json.dumps({"year": year, "invoices": [invoice.model_dump() for invoice in INVOICES]})

    server.add_resource(
        FunctionResource.from_function(
            book,
            uri=f"ledger://{year}",
            name=f"book-{year}",
            description="All invoices of the year",
            mime_type="application/json",
        )
    )


@server.resource("ledger://logo.png", name="logo", description="The letterhead", mime_type="image/png")
def logo() -> bytes:
    return LOGO


@server.resource("invoice://{id}", name="invoice", description="One invoice", mime_type="application/json")
def invoice_by_id(id: str) -> str:
    invoice = find(id)
    if invoice is None:
        raise ValueError(f"there is no invoice {id}")
    return invoice.model_dump_json()


@server.prompt(description="Checklist for closing a month")
def month_end() -> str:
    return "List what is open at the end of the month."


@server.prompt(description="A reminder to a customer")
def dunning_letter(customer: str, tone: str = "friendly") -> str:
    return f"Write a {tone} reminder to {customer}."


@server.completion()
async def complete(ref, argument, context):
    known = {
        "customer": sorted({invoice.customer for invoice in INVOICES}),
        "tone": ["friendly", "firm"],
        "id": [invoice.id for invoice in INVOICES],
    }
    values = [value for value in known.get(argument.name, []) if value.startswith(argument.value)]
    return Completion(values=values, total=len(values), hasMore=False)


class Announcing(uvicorn.Server):
    """Says where it listens once it does; the system picks the port."""

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"listening on http://127.0.0.1:{port}/mcp", flush=True)


def serve_http() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(server.streamable_http_app(), log_level="warning", timeout_graceful_shutdown=1)
        Announcing(config).run(sockets=[listener])


if __name__ == "__main__":
    for first in ("2025", "2026"):
        add_year(first)
    flags = [flag for flag in sys.argv[1:] if flag != "--stateless"]
    if flags == ["--http"]:
        serve_http()
    elif flags == ["--stdio"]:
        server.run("stdio")
    else:
        sys.exit("usage: python ledger.py --http | --stdio  [--stateless]")
