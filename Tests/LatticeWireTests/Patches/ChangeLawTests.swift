import ByteTestSupport
import LatticeCoding
import LatticeWire
import Testing

/// Tests laws of changes with random ones. The seed is printed, and `LATTICE_FUZZ_SEED` repeats a run.
@Suite(.timeLimit(.minutes(20))) struct ChangeLawTests {
    private static let rounds = Repetitions.count(2_000)
    /// Inputs between which other tests get the thread.
    private static let atOnce = 64

    @Test("Consecutive changes, merged in any way, have the same result as on a tree")
    func changesInARow() async throws {
        var random = SplitMix(seed: FuzzTests.seed)
        for turn in 0..<Self.rounds {
            if turn.isMultiple(of: Self.atOnce) { await Task.yield() }
            let values = ModelValue.random(&random)
            let first = ModelChange.random(for: values, &random)
            let one = first.made(of: values)
            let second = ModelChange.random(for: one, &random)
            let two = second.made(of: one)
            let third = ModelChange.random(for: two, &random)
            let three = third.made(of: two)
            let (p, q, r) = (first.change, second.change, third.change)
            let state = values.bytes
            let pq = try p.folded(with: q)
            let results = [
                (try p.apply(to: state, maximum: .max), one),
                (try q.apply(to: one.bytes, maximum: .max), two),
                (try pq.apply(to: state, maximum: .max), two),
                (try pq.folded(with: r).apply(to: state, maximum: .max), three),
                (try p.folded(with: try q.folded(with: r)).apply(to: state, maximum: .max), three),
            ]
            for (index, result) in results.enumerated() where result.0 != result.1.bytes {
                Issue.record(
                    "\(index): \([p, q, r].map { Hex.digits($0.bytes) }) of \(Hex.digits(state)), seed \(Self.seed)"
                )
                return
            }
        }
    }

    @Test("The change between any two values turns one into the other, also when merged")
    func unrelatedValues() async throws {
        var random = SplitMix(seed: FuzzTests.seed &+ 1)
        for turn in 0..<Self.rounds {
            if turn.isMultiple(of: Self.atOnce) { await Task.yield() }
            let (a, b, c) = (
                ModelValue.random(&random), ModelValue.random(&random), ModelValue.random(&random)
            )
            let (first, second) = (ModelChange.between(a, b).change, ModelChange.between(b, c).change)
            let back = ModelChange.between(c, a).change
            let around = try first.folded(with: second).folded(with: back)
            if try first.apply(to: a.bytes, maximum: .max) != b.bytes
                || first.folded(with: second).apply(to: a.bytes, maximum: .max) != c.bytes
                || around.apply(to: a.bytes, maximum: .max) != a.bytes
            {
                Issue.record("\([a, b, c].map { Hex.digits($0.bytes) }), seed \(Self.seed)")
                return
            }
        }
    }

    @Test("Truncated or altered changes and values give errors (F37)")
    func mutations() async {
        var random = SplitMix(seed: FuzzTests.seed &+ 2)
        var accepted = 0
        for turn in 0..<(4 * Self.rounds) {
            if turn.isMultiple(of: Self.atOnce) { await Task.yield() }
            let value = ModelValue.random(&random)
            let change = ModelChange.random(for: value, &random)
            let later = ModelChange.random(for: change.made(of: value), &random).change
            let bytes = random.mutation(of: [change.bytes])
            let state = random.below(3) == 0 ? random.mutation(of: [value.bytes]) : value.bytes
            if let result = try? StateChange(bytes).apply(to: state, maximum: .max) {
                accepted += 1
                // No element is taken twice, so only heads can grow.
                if result.count > bytes.count + 3 * state.count || !Self.isWellFormed(result) {
                    Issue.record("\(Hex.digits(bytes)) of \(Hex.digits(state)), seed \(Self.seed)")
                    return
                }
            }
            for (first, second) in [(StateChange(bytes), later), (later, StateChange(bytes))] {
                guard let folded = try? first.folded(with: second) else { continue }
                accepted += 1
                if (try? folded.check()) == nil {
                    Issue.record("\(Hex.digits(first.bytes)) and \(Hex.digits(second.bytes)), seed \(Self.seed)")
                    return
                }
            }
        }
        #expect(accepted > 1_000, "seed \(Self.seed)")
    }

    @Test func everyTruncationIsRefused() {
        var random = SplitMix(seed: FuzzTests.seed &+ 3)
        for _ in 0..<30 {
            let value = ModelValue.random(&random)
            let change = ModelChange.random(for: value, &random)
            guard change.bytes.count + value.bytes.count < 300 else { continue }
            for length in 0..<change.bytes.count {
                let cut = StateChange(Array(change.bytes[..<length]))
                #expect(throws: WireError.self, "seed \(Self.seed)") { try cut.check() }
                #expect(throws: WireError.self, "seed \(Self.seed)") { try cut.apply(to: value.bytes, maximum: .max) }
                #expect(throws: WireError.self, "seed \(Self.seed)") { try change.change.folded(with: cut) }
                #expect(throws: WireError.self, "seed \(Self.seed)") { try cut.folded(with: change.change) }
            }
            guard case .set = change else {
                for length in 0..<value.bytes.count {
                    let cut = Array(value.bytes[..<length])
                    #expect(throws: WireError.self, "seed \(Self.seed)") {
                        try change.change.apply(to: cut, maximum: .max)
                    }
                }
                continue
            }
        }
    }

    private static let seed = FuzzTests.seed

    private static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        bytes.withBytes { bytes in
            var reader = CBORReader(bytes)
            return (try? reader.skip()) != nil && reader.isAtEnd
        }
    }
}
