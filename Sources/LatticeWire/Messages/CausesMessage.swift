import LatticeCoding

/// The events that a state contains and the state that was sent before it does not. The server sends it before the
/// state, to an opener that has asked for it and that may know who sends events.
package struct CausesMessage: WireMessageBody {
    package static let kind = MessageKind.causes

    /// An event that the state contains.
    package struct Event: FieldedBody, Sendable, Equatable {
        package static let name = "a cause"

        /// The ID of the event as a text.
        package var id = ""
        /// The place of the event among all events of its instance.
        package var order: UInt64 = 0
        /// What caused the event, as a text.
        package var cause = ""

        package init(id: String, order: UInt64, cause: String) {
            self.id = id
            self.order = order
            self.cause = cause
        }

        package init() {}

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.field(1, "id", &id, .sentence)
            try coder.field(2, "order", &order, .growing)
            try coder.field(3, "cause", &cause, .sentence)
        }
    }

    /// The revision of the state.
    package var revision: UInt64 = 0
    /// The newest of the events, oldest first, at most ``MessageLimits/maximumCauses``. It is empty if no new
    /// event is known.
    package var events: [Event] = []
    /// The number of events that are left out. There can be more that the server no longer remembers.
    package var omitted: UInt64 = 0

    package init(revision: UInt64, events: [Event], omitted: UInt64 = 0) {
        self.revision = revision
        self.events = events
        self.omitted = omitted
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "revision", &revision, .growing)
        try coder.field(2, "events", &events, .list(.value, maximum: MessageLimits.maximumCauses))
        try coder.field(3, "omitted", &omitted, .growing)
    }
}
