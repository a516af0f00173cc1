package import LatticeWire

/// A call that runs in this process, for the observers of its node.
package struct CallReport: Sendable {
    /// The number of the actor.
    package let actor: UInt64
    /// The name of the method on the wire.
    package let method: String
    /// Whether the process has found that method. False when the call begins.
    package let isResolved: Bool
    /// The name of the process that made the call, or that passed it on.
    package let caller: String
    /// The code of the reply, or `nil` when the call begins.
    package let end: ReplyCode?
    /// The time since the call arrived. Zero when it begins.
    package let duration: Duration
}
