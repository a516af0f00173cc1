import LatticeWire

/// A call of this process.
package struct OutgoingCall: Sendable {
    package let node: NodeID
    package var terms: CallContext
    /// Counts the call if it runs on after its caller has given up.
    package var tracker: CallTracker?
    /// Without what travels with it.
    private var unsent: ActorCall

    /// - Parameter actor: 0: the node itself.
    package init(
        to actor: UInt64,
        of node: NodeID,
        method: String,
        arguments: [UInt8] = [],
        substitutions: [String] = [],
        terms: CallContext = CallContext()
    ) {
        self.node = node
        self.terms = terms
        unsent = ActorCall(
            call: 0,
            actor: actor,
            method: method,
            arguments: arguments,
            substitutions: substitutions.isEmpty ? nil : substitutions
        )
    }

    package var method: String { unsent.method }

    package var arguments: [UInt8] {
        get { unsent.arguments }
        set { unsent.arguments = newValue }
    }

    package var substitutions: [String] {
        get { unsent.substitutions ?? [] }
        set { unsent.substitutions = newValue.isEmpty ? nil : newValue }
    }

    /// The message as it goes out now, without the number that it gets there.
    consuming func message() -> ActorCall {
        unsent.context = terms.context
        return unsent
    }
}
