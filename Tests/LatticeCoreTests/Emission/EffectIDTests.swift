import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EffectIDTests {
    private enum Name: Hashable { case save }

    private class Key: Hashable, @unchecked Sendable {
        // Unchecked: it has no state.
        static func == (lhs: Key, rhs: Key) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private final class SpecialKey: Key, @unchecked Sendable {
        // Unchecked: it has no state.
    }

    /// Ids that `AnyHashable` or a hash value takes for one.
    private static let ids: [EffectID] = [
        EffectID(1), EffectID(UInt8(1)), EffectID(1.0), EffectID(Float(1)), EffectID(Optional(1)),
        EffectID(Optional(Optional(1))), EffectID([1]), EffectID([UInt8(1)]), EffectID(Set([1])),
        EffectID(Set([UInt8(1)])), EffectID([1: 1]), EffectID([1: UInt8(1)]), EffectID("1"), EffectID(Substring("1")),
        EffectID(Name.save), EffectID(Int?.none), EffectID(String?.none), EffectID(Int??.none),
        EffectID(Int??.some(nil)), EffectID(SpecialKey()), EffectID(Key()), .makeScope(),
    ]

    @Test("IDs of different types are different, also if their values or hashes are equal (F99)")
    func theTypeCounts() {
        for (index, id) in Self.ids.enumerated() {
            let equal = Self.ids.indices.filter { Self.ids[$0] == id }
            if equal != [index] { Issue.record("\(index) is equal to \(equal)") }
        }
        #expect(Set(Self.ids).count == Self.ids.count)
    }

    @Test("An ID equals another value of its type if the values are equal (F99)")
    func equalValuesAreOneID() {
        #expect(EffectID(1) == EffectID(1))
        #expect(EffectID(1) != EffectID(2))
        #expect(EffectID(Optional(1)) == EffectID(Optional(1)))
        #expect(EffectID(SpecialKey() as Key) == EffectID(Key()))
        #expect(Set([EffectID([1]), EffectID([1])]).count == 1)
    }

    @Test("IDs whose texts have different bytes are different, like keys (F95)")
    func theBytesOfATextCount() {
        #expect(EffectID("\u{E9}") != EffectID("e\u{301}"))
        #expect(EffectID("e\u{301}") == EffectID("e" + "\u{301}"))
        #expect(Set([EffectID("\u{E9}"), EffectID("e\u{301}"), EffectID("\u{E9}")]).count == 2)
    }

    @Test("Cancelling an ID does not cancel effects whose ID is an equal value of another type (F99)")
    func cancellingOneTypeLeavesTheOthers() async {
        let started = [Gate(), Gate()]
        let runtime = makeRuntime(0) { (state: inout Int, action: Int) in
            switch action {
            case 0: .run { _ in try await waitForCancellation(started: started[0]) }.cancellable(id: UInt8(1))
            case 1: .run { _ in try await waitForCancellation(started: started[1]) }.cancellable(id: Optional(1))
            case 2: .merge(.cancel(id: 1), .cancel(id: 1.0))
            case 3: .cancel(id: UInt8(1))
            default: .cancel(id: Optional(1))
            }
        }
        let tasks = [runtime.send(0), runtime.send(1)]
        for gate in started { await gate.wait() }
        runtime.send(2)
        #expect(tasks.map(\.outcome) == [nil, nil])
        runtime.send(3)
        #expect(await tasks[0].finish() == .cancelled)
        #expect(tasks[1].outcome == nil)
        runtime.send(4)
        #expect(await tasks[1].finish() == .cancelled)
    }
}
