import LatticeConcurrency

/// The registrants of an event loop, by tokens that are never used twice. An event of a descriptor that was closed in
/// the same tick therefore reaches no registrant, even if its number belongs to another connection by then.
struct Registrations {
    private struct Slot {
        var generation: UInt32
        var registrant: (any Registrant)?
        var spinWait = SpinWait()
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
        slots[place].spinWait = SpinWait()
        slots[place].generation &+= 1
        free.append(place)
    }

    subscript(token: UInt64) -> (any Registrant)? {
        place(of: token).flatMap { slots[$0].registrant }
    }

    /// The policy for spinning after work of the registrant with a token. It is a new one if there is no such
    /// registrant.
    subscript(spinWaitOf token: UInt64) -> SpinWait {
        get { place(of: token).map { slots[$0].spinWait } ?? SpinWait() }
        set { if let place = place(of: token) { slots[place].spinWait = newValue } }
    }

    private func place(of token: UInt64) -> Int? {
        let place = Int(token & 0xffff_ffff)
        return place < slots.count && slots[place].generation == UInt32(token >> 32) ? place : nil
    }

    private static func registration(_ place: Int, _ generation: UInt32) -> Registration {
        Registration(token: UInt64(generation) << 32 | UInt64(place))
    }
}
