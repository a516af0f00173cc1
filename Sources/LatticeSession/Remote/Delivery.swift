import LatticeWire

/// What one turn of the reactor brought for one channel: what ended and the newest state, as bytes. Valid only while it
/// is being delivered.
package struct Delivery<State: Decodable & Sendable> {
    package let news: ChannelNews
    // Bytes, so that nothing here is of a type that is known only at run time: passing that around costs more than
    // decoding a small state.
    private let bytes: UnsafeRawBufferPointer?
    private let link: ChannelLink

    init(_ news: ChannelNews, _ bytes: UnsafeRawBufferPointer?, _ link: ChannelLink) {
        self.news = news
        self.bytes = bytes
        self.link = link
    }

    /// Whether a state came; older ones of the same turn are left out.
    package var hasState: Bool { bytes != nil }

    /// The newest state, or nil if none came. One that cannot be decoded ends the session, and is none either.
    package func decodeState() -> State? {
        guard let bytes else { return nil }
        do {
            return try CBORDecoder().decode(State.self, from: bytes)
        } catch {
            link.abort(.violation("the state of \(link.subject.feature) cannot be decoded: \(error)"))
            return nil
        }
    }
}
