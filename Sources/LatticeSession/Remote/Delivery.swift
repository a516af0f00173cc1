import LatticeCore
import LatticeTransport
import LatticeWire

/// What one turn of the reactor brought for one channel: what ended and the newest state, as bytes. Valid only while it
/// is being delivered.
package struct Delivery<State: Decodable & Sendable> {
    /// What ended, and the rest. Events of a state that cannot be decoded fail when it is decoded, so decode it first.
    package private(set) var news: ChannelNews
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

    /// Nobody is there to show what came; the events end all the same.
    func endEvents() {
        for ending in news.endings { ending.ticket.complete(ending.outcome) }
    }

    /// The newest state, or nil if none came. One that cannot be decoded is none either: `news` says so, and that the
    /// events in it have failed.
    package mutating func decodeState() -> State? {
        guard let bytes else { return nil }
        do {
            let state = try CBORDecoder(observer: link.codingProgress).decode(State.self, from: bytes)
            link.accept(&news)
            return state
        } catch {
            link.refuse(error, &news)
            return nil
        }
    }
}
