import LatticeCoding
import Testing

@testable import LatticeWire

@Suite struct MessageRoundTripTests {
    @Test(arguments: MessageSamples.all)
    func decodesWhatItEncodes(_ sample: MessageSamples.Sample) throws {
        let decoded = try sample.body.encoded.withBytes { bytes throws(WireError) in
            try WireMessage.decode(sample.kind, bytes)
        }
        #expect(decoded.encoded == sample.body.encoded)
        #expect(String(describing: decoded) == String(describing: sample.body))
    }

    @Test(arguments: MessageSamples.all)
    func everyTruncationIsRefused(_ sample: MessageSamples.Sample) {
        let whole = sample.body.encoded
        for length in 0..<whole.count {
            #expect(throws: WireError.self) {
                try Array(whole[..<length]).withBytes { bytes throws(WireError) in
                    _ = try WireMessage.decode(sample.kind, bytes)
                }
            }
        }
    }

    @Test func everySentKindHasASample() {
        let sampled = Set(MessageSamples.all.map(\.kind))
        #expect(sampled == Set(MessageKind.allCases.filter { !$0.isReserved }))
    }
}
