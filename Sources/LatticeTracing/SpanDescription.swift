import Distributed
import LatticeCore
import Tracing

/// The name, the kind and the attributes of a span. A name contains features and methods and never an ID.
struct SpanDescription {
    /// The name of calls until it is known that the method exists, because another process may have chosen it.
    static let unresolved = "call"

    let name: String
    let kind: SpanKind
    var attributes: SpanAttributes = [:]

    init(_ operation: TracedOperation) {
        switch operation {
        case .event(let feature, let instance):
            self.init("event \(feature)", .client, feature, instance)
        case .forwarding(let feature, let instance):
            self.init("forward \(feature)", .server, feature, instance)
        case .turn(let feature, let instance):
            self.init("turn \(feature)", .internal, feature, instance)
        case .effect(let feature, let instance, let name):
            self.init("effect \(feature)", .internal, feature, instance)
            if let name { attributes["lattice.effect.name"] = name }
        case .call(let method):
            let method = Self.readable(method: method)
            self.init(method, .client)
            attributes["rpc.method"] = method
        case .answer(let caller):
            self.init(Self.unresolved, .server)
            attributes["lattice.caller"] = caller
        }
    }

    private init(_ name: String, _ kind: SpanKind) {
        self.name = name
        self.kind = kind
        attributes["rpc.system.name"] = "lattice"
    }

    private init(_ name: String, _ kind: SpanKind, _ feature: String, _ instance: String) {
        self.name = name
        self.kind = kind
        attributes["lattice.feature"] = feature
        if !instance.isEmpty { attributes["lattice.instance"] = instance }
    }

    /// The name of a method as Swift writes it. A method without a stable name has a mangled one on the wire.
    static func readable(method: String) -> String { "\(RemoteCallTarget(method))" }
}

extension TracedOperation {
    /// Whether this process causes the operation, so that it belongs to the span of the running task.
    var isSent: Bool {
        switch self {
        case .event, .call: true
        case .forwarding, .turn, .effect, .answer: false
        }
    }
}
