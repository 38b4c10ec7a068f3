// A small ledger served by the TypeScript SDK, over HTTP or stdio.
//
// It shows one of everything the checker looks at: tools with and without an
// output schema, a tool with a parameter header, one that asks the user, one
// that reports progress, resources as text and as bytes, a template, prompts
// and completion. What goes over the wire is the SDK's doing: nothing here
// repairs or reshapes it, so that the checker sees the SDK as it is.
//
//   node ledger.mjs --http | --stdio  [--modern-only]

import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  acceptedContent,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const INVOICES = [
  { id: 'INV-1001', customer: 'acme', region: 'north', cents: 125000, status: 'open' },
  { id: 'INV-1002', customer: 'globex', region: 'south', cents: 9900, status: 'paid' },
  { id: 'INV-1003', customer: 'acme', region: 'south', cents: 43050, status: 'open' },
];
const CUSTOMERS = [...new Set(INVOICES.map((invoice) => invoice.customer))];
// The smallest valid PNG: one transparent pixel.
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// Years are shared by all connections, since HTTP builds a server for every request.
const years = new Set(['2025', '2026']);
const state = createRequestStateCodec({ key: randomBytes(32) });

const find = (id) => INVOICES.find((invoice) => invoice.id === id);
const startingWith = (values) => (typed) => values.filter((value) => value.startsWith(typed ?? ''));
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const refuse = (value) => ({ ...text(value), isError: true });

function ledger(changed) {
  const server = new McpServer(
    { name: 'ledger-ts', version: '0.1.0', title: 'Ledger' },
    {
      instructions: 'Invoices of a small company. Amounts are in cents.',
      capabilities: { resources: { listChanged: true, subscribe: true } },
      cacheHints: { 'tools/list': { ttlMs: 60000, cacheScope: 'public' } },
      requestState: { verify: state.verify },
    },
  );
  addTools(server, changed);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server, changed) {
  server.registerTool(
    'get_invoice',
    {
      title: 'Get an invoice',
      description: 'Returns one invoice by its number.',
      inputSchema: z.object({ id: z.string().describe('Invoice number, such as INV-1001') }),
      outputSchema: z.object({
        id: z.string(),
        customer: z.string(),
        region: z.string(),
        cents: z.number().int(),
        status: z.enum(['open', 'paid']),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ id }) => {
      const invoice = find(id);
      if (!invoice) return refuse(`there is no invoice ${id}`);
      return { ...text(JSON.stringify(invoice)), structuredContent: invoice };
    },
  );

  server.registerTool(
    'list_invoices',
    {
      description: 'Lists invoice numbers, all of them or those with one status.',
      inputSchema: z.object({ status: z.enum(['open', 'paid']).optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ status }) =>
      text(
        INVOICES.filter((invoice) => !status || invoice.status === status)
          .map((invoice) => invoice.id)
          .join('\n'),
      ),
  );

  server.registerTool(
    'region_total',
    {
      description: 'Adds up the invoices of one region. The region travels in a header too.',
      inputSchema: z.object({
        region: z.string().meta({ 'x-mcp-header': 'Region' }),
        above: z.number().int().optional().meta({ 'x-mcp-header': 'Above' }),
      }),
      outputSchema: z.object({ region: z.string(), cents: z.number().int() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ region, above = 0 }) => {
      const cents = INVOICES.filter((invoice) => invoice.region === region && invoice.cents > above).reduce(
        (sum, invoice) => sum + invoice.cents,
        0,
      );
      const total = { region, cents };
      return { ...text(JSON.stringify(total)), structuredContent: total };
    },
  );

  const consent = z.object({ send: z.boolean().describe('Really send it?') });
  server.registerTool(
    'email_invoice',
    {
      description: 'Emails an invoice after asking the user. Nothing leaves this process.',
      inputSchema: z.object({ id: z.string(), to: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    async ({ id, to }, ctx) => {
      if (!find(id)) return refuse(`there is no invoice ${id}`);
      const answer = ctx.mcpReq.inputResponses?.consent;
      if (!answer) {
        return inputRequired({
          inputRequests: {
            consent: inputRequired.elicit({ message: `Send ${id} to ${to}?`, requestedSchema: consent }),
          },
          requestState: await state.mint({ id, to }, ctx),
        });
      }
      const accepted = acceptedContent(ctx.mcpReq.inputResponses, 'consent', consent);
      return text(accepted?.send ? `sent ${id} to ${to}` : `did not send ${id}`);
    },
  );

  server.registerTool(
    'reconcile',
    {
      description: 'Compares the books step by step and reports progress.',
      inputSchema: z.object({ steps: z.number().int().min(1).max(20).default(3) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ steps }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let step = 1; step <= steps && !ctx.mcpReq.signal.aborted; step += 1) {
        await sleep(100, undefined, { signal: ctx.mcpReq.signal });
        if (progressToken !== undefined) {
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress: step, total: steps, message: `step ${step}` },
          });
        }
      }
      return text(`reconciled in ${steps} steps`);
    },
  );

  server.registerTool(
    'open_year',
    {
      description: 'Opens the book of a year: the list of resources grows.',
      inputSchema: z.object({ year: z.string().regex(/^[0-9]{4}$/) }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ year }) => {
      const isNew = !years.has(year);
      years.add(year);
      if (isNew) changed(server, year);
      return text(isNew ? `opened ${year}` : `${year} was open`);
    },
  );
}

function addYear(server, year) {
  server.registerResource(
    `book-${year}`,
    `ledger://${year}`,
    { title: `Book of ${year}`, description: 'All invoices of the year', mimeType: 'application/json' },
    async (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ year, invoices: INVOICES }) }],
    }),
  );
}

function addResources(server) {
  for (const year of years) addYear(server, year);
  server.registerResource(
    'logo',
    'ledger://logo.png',
    { description: 'The letterhead', mimeType: 'image/png' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: LOGO }] }),
  );
  server.registerResource(
    'invoice',
    new ResourceTemplate('invoice://{id}', {
      list: undefined,
      complete: { id: startingWith(INVOICES.map((invoice) => invoice.id)) },
    }),
    { description: 'One invoice', mimeType: 'application/json' },
    async (uri, { id }) => {
      // A URL lower-cases nothing here, but it may percent-encode.
      const invoice = find(decodeURIComponent(String(id)));
      if (!invoice) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(invoice) }] };
    },
  );
}

function addPrompts(server) {
  server.registerPrompt('month_end', { description: 'Checklist for closing a month' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'List what is open at the end of the month.' } }],
  }));
  server.registerPrompt(
    'dunning_letter',
    {
      description: 'A reminder to a customer',
      argsSchema: z.object({
        customer: completable(z.string().describe('Who owes'), startingWith(CUSTOMERS)),
        tone: completable(z.string().optional(), startingWith(['friendly', 'firm'])),
      }),
    },
    ({ customer, tone }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Write a ${tone ?? 'friendly'} reminder to ${customer}.` } },
      ],
    }),
  );
}

function serveHttp(modernOnly) {
  const handler = createMcpHandler(() => ledger(() => handler.notify.resourcesChanged()), {
    legacy: modernOnly ? 'reject' : 'stateless',
  });
  const node = toNodeHandler(handler);
  const hostIsLocal = localhostHostValidation();
  const originIsLocal = localhostOriginValidation();
  const http = createServer((req, res) => {
    if (!hostIsLocal(req, res) || !originIsLocal(req, res)) return;
    if (new URL(req.url, 'http://localhost').pathname !== '/mcp') {
      res.writeHead(404).end();
      return;
    }
    void node(req, res);
  });
  http.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${http.address().port}/mcp`));
  process.once('SIGTERM', async () => {
    http.close(() => process.exit(0));
    await handler.close();
    // What the handler said at the end is on its way; nobody is waited for longer.
    setTimeout(() => http.closeAllConnections(), 200);
  });
}

const flags = new Set(process.argv.slice(2));
const modernOnly = flags.delete('--modern-only');
if (flags.size === 1 && flags.has('--http')) {
  serveHttp(modernOnly);
} else if (flags.size === 1 && flags.has('--stdio')) {
  // The new year is registered on this connection's own server, which sends the notice itself.
  const served = serveStdio(() => ledger(addYear), { legacy: modernOnly ? 'reject' : 'serve' });
  process.once('SIGTERM', async () => {
    await served.close();
    process.exit(0);
  });
} else {
  console.error('usage: node ledger.mjs --http | --stdio  [--modern-only]');
  process.exit(2);
}
