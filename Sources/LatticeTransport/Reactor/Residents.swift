/// Something that lives on a reactor and has to be told when the reactor stops. Called on its thread.
protocol Resident: AnyObject, Sendable {
    func ready(_ readiness: Readiness)
    func reactorStops()
    /// The thread is busy with a large value and looks at no news for longer than a turn should take. Called from the
    /// middle of that.
    func isHeldUp()
}

extension Resident {
    func isHeldUp() {}
}

/// Who lives on a reactor, by tokens that are never used twice: news of a descriptor that was closed in the same turn
/// finds nobody, even if its number belongs to another connection by then.
struct Residents {
    private struct Slot {
        var generation: UInt32
        var resident: (any Resident)?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    var all: [any Resident] { slots.compactMap(\.resident) }

    mutating func admit(_ resident: any Resident) -> UInt64 {
        if let place = free.popLast() {
            slots[place].resident = resident
            return Self.token(place, slots[place].generation)
        }
        slots.append(Slot(generation: 0, resident: resident))
        return Self.token(slots.count - 1, 0)
    }

    mutating func dismiss(_ token: UInt64) {
        let place = Int(token & 0xffff_ffff)
        guard self[token] != nil else { return }
        slots[place].resident = nil
        slots[place].generation &+= 1
        free.append(place)
    }

    subscript(token: UInt64) -> (any Resident)? {
        let place = Int(token & 0xffff_ffff)
        guard place < slots.count, slots[place].generation == UInt32(token >> 32) else { return nil }
        return slots[place].resident
    }

    private static func token(_ place: Int, _ generation: UInt32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(place)
    }
}
