//! Server-to-client requests; subscriptions, logging, progress and cancellation.

use super::{BASE, Languages, Pattern, Severity, Trigger};
use crate::judge::{self, messages};
use Trigger::{Call, Key, Name, Text};

pub(super) static TABLE: [Pattern; 14] = [
    Pattern {
        id: "scan.sampling-request",
        finds: "a server that asks for sampling",
        old: "the server sends sampling/createMessage",
        new: "an entry of `inputRequests` in an `input_required` result (deprecated: call a model's API)",
        spec: "client/sampling",
        triggers: &[
            Text("sampling/createMessage"),
            Call("createMessage"),
            Call("create_message"),
            Call("requestSampling"),
            Call("CreateMessage"),
            Call("SampleAsync"),
            Call("sample"),
        ],
        judge: messages::server_request,
        ..BASE
    },
    Pattern {
        id: "scan.elicitation-request",
        finds: "a server that asks the user",
        old: "the server sends elicitation/create and waits",
        new: "an entry of `inputRequests`; the handler runs again with `inputResponses`",
        spec: "basic/patterns/mrtr#multi-round-trip-requests",
        triggers: &[
            Text("elicitation/create"),
            Call("elicitInput"),
            Call("elicit"),
            Call("elicit_form"),
            Call("elicit_url"),
            Call("create_elicitation"),
            Call("createElicitation"),
            Call("Elicit"),
            Call("ElicitAsync"),
        ],
        judge: messages::server_request,
        ..BASE
    },
    Pattern {
        id: "scan.roots-request",
        finds: "a server that asks for roots",
        old: "the server sends roots/list",
        new: "an entry of `inputRequests` (deprecated: arguments or configuration)",
        spec: "client/roots",
        triggers: &[
            Text("roots/list"),
            Call("listRoots"),
            Call("list_roots"),
            Call("ListRoots"),
            Call("RequestRootsAsync"),
        ],
        judge: messages::server_request,
        ..BASE
    },
    Pattern {
        id: "scan.roots-changed",
        finds: "the notice that roots changed",
        old: "notifications/roots/list_changed and `roots: { listChanged }`",
        new: "removed",
        spec: "client/roots",
        triggers: &[
            Text("notifications/roots/list_changed"),
            Key("roots"),
            Name("RootsListChangedNotification"),
            Name("RootsListChangedNotificationSchema"),
            Call("sendRootsListChanged"),
            Call("send_roots_list_changed"),
        ],
        judge: messages::roots_changed,
        ..BASE
    },
    Pattern {
        id: "scan.elicitation-complete",
        finds: "the notice that a visit to a URL is over",
        old: "notifications/elicitation/complete with an elicitationId",
        new: "removed: the client retries the request, `requestState` ties the two together",
        spec: "client/elicitation#url-mode-elicitation-requests",
        triggers: &[
            Text("notifications/elicitation/complete"),
            Key("elicitationId"),
            Key("elicitation_id"),
            Call("createElicitationCompletionNotifier"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.url-elicitation-error",
        finds: "the error that asks for a visit to a URL",
        old: "error -32042",
        new: "an `input_required` result with `mode: \"url\"`",
        spec: "client/elicitation#url-mode-elicitation-requests",
        triggers: &[
            Trigger::Code(32_042, 32_042),
            Name("URLElicitationRequiredError"),
            Name("UrlElicitationRequiredError"),
            Name("UrlElicitationRequired"),
            Name("URL_ELICITATION_REQUIRED"),
        ],
        judge: messages::url_elicitation,
        ..BASE
    },
    Pattern {
        id: "scan.client-handler",
        finds: "a client's handler for a server's request",
        old: "requests with an id of their own reach the client",
        new: "the questions stand in an `input_required` result; answers go into the retry",
        severity: Severity::Info,
        spec: "basic/patterns/mrtr#client-requirements-basic-workflow",
        languages: Languages::Code,
        triggers: &[
            Name("CreateMessageRequestSchema"),
            Name("ElicitRequestSchema"),
            Name("ListRootsRequestSchema"),
            Text("sampling/createMessage"),
            Text("elicitation/create"),
            Text("roots/list"),
        ],
        judge: messages::client_handler,
        ..BASE
    },
    Pattern {
        id: "scan.resource-subscribe",
        finds: "a subscription of one resource",
        old: "resources/subscribe",
        new: "`subscriptions/listen` with `resourceSubscriptions`",
        spec: "basic/patterns/subscriptions#opening-a-stream",
        triggers: &[
            Text("resources/subscribe"),
            Call("subscribeResource"),
            Call("subscribe_resource"),
            Name("SubscribeRequestSchema"),
            Name("SubscribeParams"),
            Call("SubscribeToResourceAsync"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.resource-unsubscribe",
        finds: "the end of a resource's subscription",
        old: "resources/unsubscribe",
        new: "cancel the listen request",
        spec: "basic/patterns/subscriptions#cancellation",
        triggers: &[
            Text("resources/unsubscribe"),
            Call("unsubscribeResource"),
            Call("unsubscribe_resource"),
            Name("UnsubscribeRequestSchema"),
            Name("UnsubscribeParams"),
            Call("UnsubscribeFromResourceAsync"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.unsolicited-change",
        finds: "a change notice that nobody listens for",
        old: "change notices come by themselves",
        new: "only on a listen stream, with its `subscriptionId`",
        spec: "basic/patterns/subscriptions#receiving-notifications",
        languages: Languages::Code,
        triggers: &[
            Text("notifications/tools/list_changed"),
            Text("notifications/prompts/list_changed"),
            Text("notifications/resources/list_changed"),
            Text("notifications/resources/updated"),
            Name("ToolListChangedNotificationSchema"),
            Name("PromptListChangedNotificationSchema"),
            Name("ResourceListChangedNotificationSchema"),
            Name("ResourceUpdatedNotificationSchema"),
        ],
        judge: messages::unsolicited,
        ..BASE
    },
    Pattern {
        id: "scan.set-level",
        finds: "a log level for the session",
        old: "logging/setLevel",
        new: "`_meta[\"io.modelcontextprotocol/logLevel\"]` on each request (deprecated: stderr, OpenTelemetry)",
        spec: "server/utilities/logging#per-request-log-level",
        triggers: &[
            Text("logging/setLevel"),
            Call("setLoggingLevel"),
            Call("set_logging_level"),
            Call("SetLoggingLevel"),
            Name("SetLevelRequestSchema"),
            Name("SetLevelRequest"),
        ],
        judge: judge::method,
        ..BASE
    },
    Pattern {
        id: "scan.log-message",
        finds: "log messages that no request asked for",
        old: "notifications/message at any time",
        new: "only for a request that names a log level (deprecated: stderr, OpenTelemetry)",
        spec: "server/utilities/logging#requesting-log-messages",
        languages: Languages::Code,
        triggers: &[
            Text("notifications/message"),
            Call("sendLoggingMessage"),
            Call("send_log_message"),
        ],
        judge: messages::log_message,
        ..BASE
    },
    Pattern {
        id: "scan.cancel-direction",
        finds: "cancellation over HTTP, or progress from a client",
        old: "notifications/cancelled and notifications/progress in both directions",
        new: "close the response stream; clients report no progress",
        severity: Severity::Warning,
        spec: "basic/patterns/cancellation#transport-specific-cancellation",
        triggers: &[
            Text("notifications/cancelled"),
            Text("notifications/progress"),
        ],
        judge: messages::direction,
        ..BASE
    },
    Pattern {
        id: "scan.disconnect-continues",
        finds: "work that goes on when the client is gone",
        old: "a broken stream is no cancellation",
        new: "a closed stream cancels its request",
        severity: Severity::Warning,
        spec: "basic/transports/streamable-http#cancellation",
        languages: Languages::Code,
        triggers: &[
            Trigger::Begins("should "),
            Trigger::Begins("does not "),
            Trigger::Begins("doesn't "),
            Trigger::Begins("keeps "),
            Trigger::Begins("continues "),
            Trigger::Begins("disconnect"),
            Trigger::Begins("handles "),
            Trigger::Begins("request "),
            Trigger::Begins("tool "),
        ],
        judge: messages::disconnect,
        ..BASE
    },
];
