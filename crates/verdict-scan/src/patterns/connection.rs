//! Lifecycle and session.

use super::{BASE, Languages, Pattern, Severity, Trigger};
use crate::judge::{self, connection};
use Trigger::{Call, Header, Key, Name, Text};

pub(super) static TABLE: [Pattern; 11] = [
    Pattern {
        id: "scan.initialize",
        finds: "the handshake's `initialize` request",
        old: "initialize before anything else",
        new: "no handshake: `_meta` on every request, `server/discover` if you need to know",
        spec: "basic/versioning#protocol-version-negotiation",
        triggers: &[
            Text("initialize"),
            Call("initialize"),
            Name("InitializeRequest"),
            Name("InitializeRequestSchema"),
            Name("InitializeRequestParams"),
        ],
        judge: connection::initialize,
        ..BASE
    },
    Pattern {
        id: "scan.initialized",
        finds: "the notice that ends the handshake",
        old: "notifications/initialized",
        new: "removed: the first request may be any request",
        spec: "basic#statelessness",
        triggers: &[
            Text("notifications/initialized"),
            Name("InitializedNotification"),
            Name("InitializedNotificationSchema"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.version-literal",
        finds: "an earlier revision's date",
        old: "one version for the connection, agreed in the handshake",
        new: "the version in `_meta` and in a header of every request; `supportedVersions` in discover",
        severity: Severity::Warning,
        spec: "basic/versioning#protocol-version-negotiation",
        triggers: &[
            Text("2024-11-05"),
            Text("2025-03-26"),
            Text("2025-06-18"),
            Text("2025-11-25"),
            Text("MCP-Protocol-Version: 2025-03-26"),
            Text("MCP-Protocol-Version: 2025-06-18"),
            Text("MCP-Protocol-Version: 2025-11-25"),
        ],
        judge: connection::dated_version,
        ..BASE
    },
    Pattern {
        id: "scan.connection-memory",
        finds: "client data that is kept from the handshake",
        old: "what the client said once holds for the connection",
        new: "read `_meta` of the request at hand",
        spec: "basic#statelessness",
        languages: Languages::Code,
        triggers: &[
            Call("getClientCapabilities"),
            Call("getClientVersion"),
            Call("getClientInfo"),
            Call("get_client_capabilities"),
            Call("check_client_capability"),
            Name("client_params"),
            Name("_clientCapabilities"),
            Name("_clientVersion"),
            Call("InitializeParams"),
            Call("peer_info"),
        ],
        judge: connection::connection_memory,
        ..BASE
    },
    Pattern {
        id: "scan.server-info",
        finds: "`serverInfo` in a result's body",
        old: "result.serverInfo",
        new: "result._meta[\"io.modelcontextprotocol/serverInfo\"]",
        severity: Severity::Warning,
        spec: "server/discover#response",
        languages: Languages::Code,
        triggers: &[
            Name("serverInfo"),
            Name("server_info"),
            Text("serverInfo"),
            Name("ServerInfo"),
        ],
        judge: connection::server_info,
        ..BASE
    },
    Pattern {
        id: "scan.session-id",
        finds: "session ids",
        old: "Mcp-Session-Id, minted by the server and sent with every request",
        new: "removed: state has explicit handles, given as arguments",
        spec: "basic/transports/streamable-http#earlier-streamable-http-revisions",
        triggers: &[
            Header("mcp-session-id"),
            Key("sessionIdGenerator"),
            Name("sessionId"),
            Name("session_id"),
            Name("MCP_SESSION_ID_HEADER"),
            Name("ip_hash"),
            Name("sticky"),
            Text("sessionAffinity"),
        ],
        judge: connection::session,
        ..BASE
    },
    Pattern {
        id: "scan.resumption",
        finds: "streams that are taken up again",
        old: "event ids, Last-Event-ID and event stores",
        new: "removed: issue the request again with a new id, or use the tasks extension",
        spec: "basic/transports/streamable-http#earlier-streamable-http-revisions",
        triggers: &[
            Header("last-event-id"),
            Name("EventStore"),
            Name("eventStore"),
            Name("event_store"),
            Name("InMemoryEventStore"),
            Name("resumptionToken"),
            Name("resumption_token"),
            Name("onresumptiontoken"),
            Name("replayEvents"),
            Name("replayEventsAfter"),
            Name("replay_events_after"),
            Name("closeSSEStream"),
            Name("close_sse_stream"),
            Name("closeStandaloneSSEStream"),
            Name("retryInterval"),
            Name("retry_interval"),
        ],
        judge: connection::resumption,
        ..BASE
    },
    Pattern {
        id: "scan.get-stream",
        finds: "GET on the path of MCP",
        old: "a standing stream from server to client",
        new: "`subscriptions/listen` by POST; GET is answered with 405",
        spec: "basic/transports/streamable-http#earlier-streamable-http-revisions",
        languages: Languages::Code,
        triggers: &[
            Call("get"),
            Call("handleGetRequest"),
            Call("_handle_get_request"),
            Call("handle_get"),
        ],
        judge: connection::endpoint_route,
        ..BASE
    },
    Pattern {
        id: "scan.delete-session",
        finds: "DELETE on the path of MCP",
        old: "DELETE ends the session",
        new: "removed: there is no session; DELETE is answered with 405",
        severity: Severity::Warning,
        spec: "basic/transports/streamable-http#earlier-streamable-http-revisions",
        languages: Languages::Code,
        triggers: &[
            Call("delete"),
            Call("terminateSession"),
            Call("terminate_session"),
        ],
        judge: connection::session_end,
        ..BASE
    },
    Pattern {
        id: "scan.ping",
        finds: "`ping`",
        old: "ping, from either side",
        new: "removed: `server/discover`, or the transport's own health",
        spec: "changelog#major-changes",
        triggers: &[
            Text("ping"),
            Call("ping"),
            Call("send_ping"),
            Call("Ping"),
            Call("PingAsync"),
            Name("PingRequest"),
            Name("PingRequestSchema"),
        ],
        judge: connection::ping,
        ..BASE
    },
    Pattern {
        id: "scan.shared-client",
        finds: "one client for many test cases",
        old: "a connection carries state from case to case",
        new: "no state on a connection: lists and answers may not depend on earlier requests",
        severity: Severity::Warning,
        spec: "basic#statelessness",
        languages: Languages::Code,
        triggers: &[Call("beforeAll"), Key("scope")],
        judge: connection::shared_client,
        ..BASE
    },
];
