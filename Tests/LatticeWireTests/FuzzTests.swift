import Foundation
import Testing

@testable import LatticeWire

/// Random and mutated inputs: every one is decoded or refused, nothing traps, nothing grows over its limit.
///
/// A failing run prints its seed; `LATTICE_FUZZ_SEED` in the environment repeats it.
@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
    static let seed: UInt64 = {
        let text = ProcessInfo.processInfo.environment["LATTICE_FUZZ_SEED"] ?? ""
        return UInt64(text) ?? UInt64.random(in: .min ... .max)
    }()

    /// Together one million.
    static let streams = 300_000
    static let bodies = 350_000
    static let values = 350_000
    /// Inputs between which other tests get the thread.
    private static let atOnce = 256

    @Test func streams() async {
        var random = SplitMix(seed: FuzzTests.seed)
        let samples = VectorStreams.all.map(\.bytes) + [FuzzTests.chunked]
        var accepted = 0
        for turn in 0..<FuzzTests.streams {
            if turn.isMultiple(of: FuzzTests.atOnce) { await Task.yield() }
            let input = random.mutation(of: samples)
            accepted += FuzzTests.feed(input, &random)
        }
        #expect(accepted > 1_000, "seed \(FuzzTests.seed)")
    }

    @Test("F37: bodies that are cut off or changed give errors") func bodies() async {
        var random = SplitMix(seed: FuzzTests.seed &+ 1)
        let samples = MessageSamples.all.map { ($0.kind, $0.body.encoded) }.filter { $0.1.count < 120 }
        let kinds = MessageKind.allCases.filter { !$0.isReserved }
        var accepted = 0
        for turn in 0..<FuzzTests.bodies {
            if turn.isMultiple(of: FuzzTests.atOnce) { await Task.yield() }
            let (own, body) = samples[random.below(samples.count)]
            let kind = random.below(4) == 0 ? kinds[random.below(kinds.count)] : own
            let input = random.mutation(of: [body])
            guard
                let decoded = try? input.withBytes({ bytes throws(WireError) in try WireMessage.decode(kind, bytes) })
            else { continue }
            accepted += 1
            // What was accepted can be written, and what was written is read as the same bytes.
            let written = decoded.encoded
            let again = try? written.withBytes { bytes throws(WireError) in try WireMessage.decode(kind, bytes).encoded
            }
            if again != written {
                Issue.record("\(kind) \(Hex.digits(input)) does not come back, seed \(FuzzTests.seed)")
                return
            }
        }
        #expect(accepted > 1_000, "seed \(FuzzTests.seed)")
    }

    @Test func values() async throws {
        var random = SplitMix(seed: FuzzTests.seed &+ 2)
        let record = Record(identifier: -5, name: "ab", flag: true, values: [1.5, 1e300], blob: [1, 2], tag: "t")
        let samples = try [
            CBOREncoder().encode(record), CBOREncoder().encode(Action.scan(path: "/x", depth: 3)),
            CBOREncoder().encode(["k": [1, -2], "l": []]), CBOREncoder().encode(Int128.min),
            CBOREncoder().encode(Tree(depth: 12)), Hex.bytes("bf61610161629f0203ffff"), Hex.bytes("7f6161ff"),
            CBOREncoder().encode([1: "a", 2: "b"]),
        ]
        var accepted = 0
        for turn in 0..<FuzzTests.values {
            if turn.isMultiple(of: FuzzTests.atOnce) { await Task.yield() }
            let input = random.mutation(of: samples)
            accepted += FuzzTests.decode(input, turn)
        }
        #expect(accepted > 1_000, "seed \(FuzzTests.seed)")
    }

    private static let chunked: [UInt8] = VectorStreams.all.flatMap(\.bytes).prefix(150).map { $0 }

    /// Feeds in two pieces; returns how many messages came out.
    private static func feed(_ input: [UInt8], _ random: inout SplitMix) -> Int {
        var decoder = FrameDecoder(maximumFirstBody: 64, maximumBody: 128)
        var assembler = MessageAssembler(
            from: .initiator,
            maximumMessage: 200,
            maximumAssembly: 300,
            maximumAssemblies: 2
        )
        var messages = 0
        let split = random.below(input.count + 1)
        for piece in [input[..<split], input[split...]] {
            do throws(WireError) {
                try Array(piece).withBytes { bytes throws(WireError) in
                    try decoder.feed(bytes) { header, body throws(WireError) in
                        try assembler.receive(header, body) { kind, _, body in
                            messages += 1
                            _ = try? WireMessage.decode(kind, body)
                        }
                    }
                }
            } catch {
                if error.sentence.isEmpty { Issue.record("no sentence, seed \(seed)") }
            }
            // A frame, and what the allocator and the first 12 bytes add to it.
            if decoder.reservedBytes > 2 * (128 + FrameHeader.size) || assembler.reservedBytes > 300
                || assembler.unfinishedMessages > 2
            {
                Issue.record("\(Hex.digits(input)) reserves more than its limit, seed \(seed)")
            }
        }
        return messages
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

/// A small seeded generator, so that a run can be repeated.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 33) % bound
    }

    /// A sample with a few bytes changed, taken out, put in or cut off; every eighth time random bytes.
    mutating func mutation(of samples: [[UInt8]]) -> [UInt8] {
        if below(8) == 0 {
            let length = below(40)
            return (0..<length).map { _ in UInt8(truncatingIfNeeded: next()) }
        }
        var bytes = samples[below(samples.count)]
        for _ in 0..<below(4) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(6) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            case 4: bytes.removeLast(bytes.count - place)
            default: bytes[place] = [0x00, 0x1b, 0x3b, 0x5f, 0x9b, 0x9f, 0xbb, 0xc2, 0xff, 0xf6][below(10)]
            }
        }
        return bytes
    }
}
