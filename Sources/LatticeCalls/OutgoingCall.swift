package import LatticeSession
package import LatticeWire

/// A call that this process makes.
package struct OutgoingCall: Sendable {
    /// The node that the call is for.
    package let node: NodeID
    /// The deadline, the trace and the event of the call.
    package var context: CallContext
    /// Counts the call if its method runs on after its caller has given up.
    package var tracker: CallTracker?
    /// The message without its number and without the context of the call.
    private var unsent: ActorCall

    /// Creates a call of a node itself.
    ///
    /// - Parameters:
    ///   - operation: What the node is asked for.
    ///   - subject: The number of the actor or the channel.
    ///   - node: The node that the call is for.
    ///   - arguments: The encoded question of ``NodeOperation/ask``.
    ///   - context: The deadline, the trace and the event of the call.
    package init(
        _ operation: NodeOperation,
        about subject: UInt64,
        at node: NodeID,
        arguments: [UInt8] = [],
        context: CallContext = CallContext()
    ) {
        self.node = node
        self.context = context
        unsent = ActorCall(call: 0, actor: subject, method: .operation(operation), arguments: arguments)
    }

    /// Creates a call of an actor.
    ///
    /// - Parameters:
    ///   - actor: The number of the actor.
    ///   - node: The node that the call is for.
    ///   - method: The name of the method on the wire.
    ///   - arguments: The encoded arguments.
    ///   - substitutions: The names of the types that replace the generic parameters of the method.
    ///   - context: The deadline, the trace and the event of the call.
    package init(
        to actor: UInt64,
        of node: NodeID,
        method: String,
        arguments: [UInt8] = [],
        substitutions: [String] = [],
        context: CallContext = CallContext()
    ) {
        self.node = node
        self.context = context
        unsent = ActorCall(
            call: 0,
            actor: actor,
            method: .named(method),
            arguments: arguments,
            substitutions: substitutions.isEmpty ? nil : substitutions
        )
    }

    /// The name of the method on the wire.
    package var method: String { unsent.method.name }

    /// Whether the call is for an actor, and neither for the node itself nor a question to a feature.
    var isOfActor: Bool { if case .named = unsent.method { true } else { false } }

    /// The encoded arguments.
    package var arguments: [UInt8] {
        get { unsent.arguments }
        set { unsent.arguments = newValue }
    }

    /// The names of the types that replace the generic parameters of the method.
    package var substitutions: [String] {
        get { unsent.substitutions ?? [] }
        set { unsent.substitutions = newValue.isEmpty ? nil : newValue }
    }

    /// Returns the message with its context, which a session can send after it has assigned a number.
    consuming func message() -> ActorCall {
        unsent.context = context.travelContext
        return unsent
    }
}
