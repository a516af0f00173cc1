package import LatticeWire

/// Why a channel takes no events, and how those end that are sent on it.
package struct ChannelEnd: Error, Sendable, Equatable {
    /// What an event is told that is sent on the channel.
    package let code: RejectionCode
    /// A sentence that says what to do.
    package let reason: String
    /// The code with which the other side did not open it; nil if it did, or was not there to be asked.
    package let refusal: OpenRefusalCode?

    package init(code: RejectionCode = .closed, reason: String, refusal: OpenRefusalCode? = nil) {
        self.code = code
        self.reason = reason
        self.refusal = refusal
    }

    /// The other side did not open the channel.
    init(_ refused: OpenRefused) {
        let code: RejectionCode =
            switch refused.code {
            case .schema: .schema
            case .tooMany: .overloaded
            default: .closed
            }
        self.init(code: code, reason: refused.reason, refusal: refused.code)
    }

    /// How an event ends that is sent now.
    package var outcome: WireOutcome { .rejected(code: code, reason: reason) }

    /// This side has left the channel.
    static var left: ChannelEnd {
        ChannelEnd(reason: "The feature is not open here; open it again before sending.")
    }
}
