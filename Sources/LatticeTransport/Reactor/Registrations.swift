/// The registrants of an event loop, by tokens that are never used twice. An event of a descriptor that was closed in
/// the same tick therefore reaches no registrant, even if its number belongs to another connection by then.
struct Registrations {
    private struct Slot {
        var generation: UInt32
        var registrant: (any Registrant)?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    var all: [any Registrant] { slots.compactMap(\.registrant) }

    mutating func add(_ registrant: any Registrant) -> Registration {
        if let place = free.popLast() {
            slots[place].registrant = registrant
            return Self.registration(place, slots[place].generation)
        }
        slots.append(Slot(generation: 0, registrant: registrant))
        return Self.registration(slots.count - 1, 0)
    }

    mutating func remove(_ registration: Registration) {
        guard self[registration.token] != nil else { return }
        let place = Int(registration.token & 0xffff_ffff)
        slots[place].registrant = nil
        slots[place].generation &+= 1
        free.append(place)
    }

    subscript(token: UInt64) -> (any Registrant)? {
        let place = Int(token & 0xffff_ffff)
        guard place < slots.count, slots[place].generation == UInt32(token >> 32) else { return nil }
        return slots[place].registrant
    }

    private static func registration(_ place: Int, _ generation: UInt32) -> Registration {
        Registration(token: UInt64(generation) << 32 | UInt64(place))
    }
}
