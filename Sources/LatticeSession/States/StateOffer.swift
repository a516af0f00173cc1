/// What can be told of a state: all of it, or what has changed since one that the other side has.
package struct StateOffer: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// The encoded state.
        case snapshot([UInt8])
        /// An encoded change of the state with this number.
        case patch(base: UInt64, changes: [UInt8])
    }

    /// The number of the state that the other side has afterwards.
    package let revision: UInt64
    package let content: Content

    package init(revision: UInt64, _ content: Content) {
        self.revision = revision
        self.content = content
    }

    /// The number of the state that the other side needs for it; nil: none.
    package var base: UInt64? {
        if case .patch(let base, _) = content { base } else { nil }
    }

    /// Bytes of the payload.
    package var count: Int {
        switch content {
        case .snapshot(let state): state.count
        case .patch(_, let changes): changes.count
        }
    }
}
