"""A small ledger served by the Python SDK 2.x, over HTTP or stdio.

It shows one of everything the checker looks at: tools with and without an
output schema, a tool with a parameter header, one that asks the user, one
that reports progress, resources as text and as bytes, a template, prompts
and completion. What goes over the wire is the SDK's doing: nothing here
repairs or reshapes it, so that the checker sees the SDK as it is.

    python ledger.py --http | --stdio
"""

import base64
import json
import socket
import sys
from typing import Annotated, Literal

import anyio
import uvicorn
from mcp.server import CacheHint
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.mcpserver.resources import FunctionResource
from mcp_types import Completion, ToolAnnotations
from pydantic import BaseModel, Field


class Invoice(BaseModel):
    id: str
    customer: str
    region: str
    cents: int
    status: Literal["open", "paid"]


class Total(BaseModel):
    region: str
    cents: int


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
READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

server = MCPServer(
    "ledger-mcp2",
    title="Ledger",
    version="0.1.0",
    instructions="Invoices of a small company. Amounts are in cents.",
    cache_hints={"tools/list": CacheHint(ttl_ms=60000, scope="public")},
    log_level="WARNING",
)
years: set[str] = set()


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


@server.tool(annotations=READ_ONLY)
def region_total(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    above: Annotated[int, Field(json_schema_extra={"x-mcp-header": "Above"})] = 0,
) -> Total:
    """Adds up the invoices of one region. The region travels in a header too."""
    cents = sum(i.cents for i in INVOICES if i.region == region and i.cents > above)
    return Total(region=region, cents=cents)


def ask_consent(id: str, to: str) -> Elicit[Consent]:
    return Elicit(f"Send {id} to {to}?", Consent)


@server.tool(
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True),
    structured_output=False,
)
def email_invoice(id: str, to: str, consent: Annotated[Consent, Resolve(ask_consent)]) -> str:
    """Emails an invoice after asking the user. Nothing leaves this process."""
    return f"sent {id} to {to}" if consent.send else f"did not send {id}"


@server.tool(annotations=READ_ONLY, structured_output=False)
async def reconcile(ctx: Context, steps: Annotated[int, Field(ge=1, le=20)] = 3) -> str:
    """Compares the books step by step and reports progress."""
    for step in range(1, steps + 1):
        await anyio.sleep(0.1)
        await ctx.report_progress(step, steps, f"step {step}")
    return f"reconciled in {steps} steps"


@server.tool(annotations=WRITES, structured_output=False)
async def open_year(ctx: Context, year: Annotated[str, Field(pattern="^[0-9]{4}$")]) -> str:
    """Opens the book of a year: the list of resources grows."""
    if year in years:
        return f"{year} was open"
    add_year(year)
    await ctx.notify_resources_changed()
    return f"opened {year}"


def add_year(year: str) -> None:
    years.add(year)

    def book() -> str:
        return json.dumps({"year": year, "invoices": [invoice.model_dump() for invoice in INVOICES]})

    server.add_resource(
        FunctionResource.from_function(
            book,
            uri=f"ledger://{year}",
            name=f"book-{year}",
            title=f"Book of {year}",
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
        raise ResourceNotFoundError(f"there is no invoice {id}")
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
    return Completion(values=values, total=len(values), has_more=False)


class Announcing(uvicorn.Server):
    """Says where it listens once it does; the system picks the port."""

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"listening on http://127.0.0.1:{port}/mcp", flush=True)


def serve_http() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            server.streamable_http_app(host="127.0.0.1"), log_level="warning", timeout_graceful_shutdown=1
        )
        Announcing(config).run(sockets=[listener])


if __name__ == "__main__":
    for first in ("2025", "2026"):
        add_year(first)
    if sys.argv[1:] == ["--http"]:
        serve_http()
    elif sys.argv[1:] == ["--stdio"]:
        server.run("stdio")
    else:
        sys.exit("usage: python ledger.py --http | --stdio")
