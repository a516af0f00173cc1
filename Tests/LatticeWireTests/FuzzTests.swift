import ByteTestSupport
import Foundation
import LatticeCoding
import LatticeWire
import Testing

/// Random and mutated inputs: every one is decoded or refused, nothing traps, nothing grows over its limit.
///
/// A failing run prints its seed; `LATTICE_FUZZ_SEED` in the environment repeats it.
@Suite(.timeLimit(.minutes(20))) struct FuzzTests {
    static let seed: UInt64 = {
        let text = ProcessInfo.processInfo.environment["LATTICE_FUZZ_SEED"] ?? ""
        return UInt64(text) ?? UInt64.random(in: .min ... .max)
    }()

    /// Together with the values of `ValueFuzzTests` one million in a release build.
    static let streams = Repetitions.count(300_000)
    static let bodies = Repetitions.count(350_000)
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

    @Test("Truncated or changed bodies give errors (F37)") func bodies() async {
        var random = SplitMix(seed: FuzzTests.seed &+ 1)
        let samples = MessageSamples.all.map { ($0.kind, $0.body.encoded) }.filter { $0.1.count < 120 }
        let kinds = MessageKind.allCases
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
            // An accepted message can be encoded, and its bytes are decoded and encoded to the same bytes.
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
}
