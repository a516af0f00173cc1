/// A state that can be sent to a peer: as a whole, or as a change of a state that the peer already has.
package struct StateOffer: Sendable, Equatable {
    /// The form in which the state is sent.
    package enum Content: Sendable, Equatable {
        /// The encoded state.
        case snapshot([UInt8])
        /// An encoded change of the state with the revision `base`.
        case patch(base: UInt64, changes: [UInt8])
    }

    /// The revision of the state that the peer has afterwards.
    package let revision: UInt64
    /// The state or the change.
    package let content: Content

    /// Creates an offer from its parts.
    package init(revision: UInt64, _ content: Content) {
        self.revision = revision
        self.content = content
    }

    /// The revision that the peer must have for the change. Nil for a whole state.
    package var base: UInt64? {
        if case .patch(let base, _) = content { base } else { nil }
    }

    /// The size of the state or the change in bytes.
    package var count: Int {
        switch content {
        case .snapshot(let state): state.count
        case .patch(_, let changes): changes.count
        }
    }
}
