import LatticeCore
import LatticeWire

/// The opener's end of the origins of one channel: which index stands for whom on the present session.
///
/// Places are taken in turn: whoever was introduced longest ago is forgotten for somebody new, and introduced again with
/// its next event.
struct OriginIndex {
    /// How many are known at a time.
    private let limit: Int
    /// Also keeps them alive, so that no other one takes their place in memory.
    private var origins: [EventOrigin] = []
    private var places: [ObjectIdentifier: UInt32] = [:]
    private var next = 0
    private var recent: (origin: EventOrigin, place: UInt32)?

    init(limit: Int = MessageLimits.maximumOrigins) {
        self.limit = limit
    }

    /// The index of an origin, and whether the other side has to be told of it first.
    mutating func index(of origin: EventOrigin) -> (index: UInt32, isNew: Bool) {
        if let recent, recent.origin === origin { return (recent.place, false) }
        if let place = places[ObjectIdentifier(origin)] {
            recent = (origin, place)
            return (place, false)
        }
        let place = UInt32(next)
        if next < origins.count {
            places[ObjectIdentifier(origins[next])] = nil
            origins[next] = origin
        } else {
            origins.append(origin)
        }
        places[ObjectIdentifier(origin)] = place
        recent = (origin, place)
        next = next + 1 == limit ? 0 : next + 1
        return (place, true)
    }
}
