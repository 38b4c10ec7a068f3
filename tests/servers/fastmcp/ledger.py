"""A small ledger served by FastMCP, over HTTP or stdio.

It shows one of everything the checker looks at: tools with and without an
output schema, a tool with a parameter header, one that asks the user, one
that reports progress, resources as text and as bytes, a template, prompts
and completion. What goes over the wire is the SDK's doing: nothing here
repairs or reshapes it, so that the checker sees the SDK as it is.

    python ledger.py --http | --stdio  [--guarded] [--paged]

`--guarded` turns on what FastMCP offers but leaves off: checking Host and
Origin. `--paged` cuts every list into pages of two.
"""

import asyncio
import base64
import json
import socket
import sys
from typing import Annotated, Literal

import mcp_types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.resources import Resource
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


INVOICES = [
    Invoice(id="INV-1001", customer="acme", region="north", cents=125000, status="open"),
    Invoice(id="INV-1002", customer="globex", region="south", cents=9900, status="paid"),
    Invoice(id="INV-1003", customer="acme", region="south", cents=43050, status="open"),
]
# The smallest valid PNG: one transparent pixel.
LOGO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
READ_ONLY = {"readOnlyHint": True, "openWorldHint": False}
WRITES = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}

server = FastMCP(
    "ledger-fastmcp",
    version="0.1.0",
    instructions="Invoices of a small company. Amounts are in cents.",
    list_page_size=2 if "--paged" in sys.argv else None,
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


@server.tool(annotations=READ_ONLY, output_schema=None)
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


@server.tool(
    annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True}, output_schema=None
)
async def email_invoice(id: str, to: str, ctx: Context) -> str | mcp_types.InputRequiredResult:
    """Emails an invoice after asking the user. Nothing leaves this process."""
    answers = ctx.input_responses
    if not answers or "consent" not in answers:
        question = mcp_types.ElicitRequest(
            params=mcp_types.ElicitRequestFormParams(
                message=f"Send {id} to {to}?",
                requested_schema={
                    "type": "object",
                    "properties": {"send": {"type": "boolean", "description": "Really send it?"}},
                    "required": ["send"],
                },
            )
        )
        return mcp_types.InputRequiredResult(input_requests={"consent": question}, request_state=f"{id} {to}")
    answer = answers["consent"]
    agreed = answer.action == "accept" and (answer.content or {}).get("send") is True
    return f"sent {id} to {to}" if agreed else f"did not send {id}"


@server.tool(annotations=READ_ONLY, output_schema=None)
async def reconcile(ctx: Context, steps: Annotated[int, Field(ge=1, le=20)] = 3) -> str:
    """Compares the books step by step and reports progress."""
    for step in range(1, steps + 1):
        await asyncio.sleep(0.1)
        await ctx.report_progress(step, steps, f"step {step}")
    return f"reconciled in {steps} steps"


@server.tool(annotations=WRITES, output_schema=None)
async def open_year(ctx: Context, year: Annotated[str, Field(pattern="^[0-9]{4}$")]) -> str:
    """Opens the book of a year: the list of resources grows."""
    if year in years:
        return f"{year} was open"
    add_year(year)
    await ctx.send_notification(mcp_types.ResourceListChangedNotification())
    return f"opened {year}"


def add_year(year: str) -> None:
    years.add(year)

    def book() -> str:
        return json.dumps({"year": year, "invoices": [invoice.model_dump() for invoice in INVOICES]})

    server.add_resource(
        Resource.from_function(
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
        raise NotFoundError(f"there is no invoice {id}")
    return invoice.model_dump_json()


@server.prompt(description="Checklist for closing a month")
def month_end() -> str:
    return "List what is open at the end of the month."


@server.prompt(description="A reminder to a customer")
def dunning_letter(customer: str, tone: str = "friendly") -> str:
    return f"Write a {tone} reminder to {customer}."


@server.completion
def complete(ref, argument, context):
    known = {
        "customer": sorted({invoice.customer for invoice in INVOICES}),
        "tone": ["friendly", "firm"],
        "id": [invoice.id for invoice in INVOICES],
    }
    return [value for value in known.get(argument.name, []) if value.startswith(argument.value)]


def serve_http(guarded: bool) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        # The socket listens already, so a client that reads this line waits at worst.
        print(f"listening on http://127.0.0.1:{port}/mcp", flush=True)
        asyncio.run(
            server.run_http_async(
                show_banner=False,
                host="127.0.0.1",
                port=port,
                log_level="WARNING",
                host_origin_protection="auto" if guarded else None,
                sockets=[listener],
            )
        )


if __name__ == "__main__":
    for first in ("2025", "2026"):
        add_year(first)
    flags = [flag for flag in sys.argv[1:] if flag not in ("--guarded", "--paged")]
    if flags == ["--http"]:
        serve_http(guarded="--guarded" in sys.argv)
    elif flags == ["--stdio"]:
        server.run("stdio", show_banner=False, log_level="WARNING")
    else:
        sys.exit("usage: python ledger.py --http | --stdio  [--guarded] [--paged]")
