package import LatticeCore
package import LatticeWire

/// Why a channel takes nothing.
package struct ChannelEnd: Error, Sendable {
    /// What events hear that are sent on it.
    package let rejection: EventRejection
    /// The code with which the other side did not open it; nil if it did, or was not there to be asked.
    package let refusal: OpenRefusalCode?

    package init(rejection: EventRejection, refusal: OpenRefusalCode?) {
        self.rejection = rejection
        self.refusal = refusal
    }
}
