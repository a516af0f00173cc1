import ByteTestSupport
import Foundation
import LatticeCoding
import Testing

/// Random and mutated values: every one is decoded or refused, and nothing traps.
///
/// A failing run prints its seed; `LATTICE_FUZZ_SEED` in the environment repeats it.
@Suite(.timeLimit(.minutes(20))) struct ValueFuzzTests {
    static let seed: UInt64 = {
        let text = ProcessInfo.processInfo.environment["LATTICE_FUZZ_SEED"] ?? ""
        return UInt64(text) ?? UInt64.random(in: .min ... .max)
    }()

    static let values = Repetitions.count(350_000)
    /// Inputs between which other tests get the thread.
    private static let atOnce = 256

    @Test func values() async throws {
        var random = SplitMix(seed: ValueFuzzTests.seed)
        let record = Record(identifier: -5, name: "ab", flag: true, values: [1.5, 1e300], blob: [1, 2], tag: "t")
        let samples = try [
            CBOREncoder().encode(record), CBOREncoder().encode(Action.scan(path: "/x", depth: 3)),
            CBOREncoder().encode(["k": [1, -2], "l": []]), CBOREncoder().encode(Int128.min),
            CBOREncoder().encode(Tree(depth: 12)), Hex.bytes("bf61610161629f0203ffff"), Hex.bytes("7f6161ff"),
            CBOREncoder().encode([1: "a", 2: "b"]),
        ]
        var accepted = 0
        for turn in 0..<ValueFuzzTests.values {
            if turn.isMultiple(of: ValueFuzzTests.atOnce) { await Task.yield() }
            let input = random.mutation(of: samples)
            accepted += ValueFuzzTests.decode(input, turn)
        }
        #expect(accepted > 1_000, "seed \(ValueFuzzTests.seed)")
    }

    /// Decodes as one of several types; returns 1 if that succeeds.
    private static func decode(_ input: [UInt8], _ turn: Int) -> Int {
        let decoder = CBORDecoder()
        func tries<Value: Codable>(_ type: Value.Type) -> Int {
            do {
                let value = try decoder.decode(type, from: input)
                let written = try CBOREncoder().encode(value)
                _ = try decoder.decode(type, from: written)
                return 1
            } catch is DecodingError {
                return 0
            } catch {
                Issue.record("\(Hex.digits(input)) as \(type) gives \(error), seed \(seed)")
                return 0
            }
        }
        switch turn % 8 {
        case 0: return tries(Record.self)
        case 1: return tries(Action.self)
        case 2: return tries([String: [Int]].self)
        case 3: return tries(Int128.self)
        case 4: return tries(Tree.self)
        case 5: return tries([UInt8].self) + tries(String?.self)
        case 6: return tries([Int: String].self)
        default: return tries([Double].self) + tries([String].self)
        }
    }
}
