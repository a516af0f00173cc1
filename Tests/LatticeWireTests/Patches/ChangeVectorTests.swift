import ByteTestSupport
import LatticeWire
import Testing

/// Tests the vectors of changes in `patches.json`, which the second implementation is tested with as well.
@Suite struct ChangeVectorTests {
    struct File: Decodable {
        var applied: [Applied]
        var folded: [Folded]
        var refused: [Refused]
    }

    struct Applied: Decodable {
        var name: String
        var state: String
        var change: String
        var result: String
    }

    struct Folded: Decodable {
        var name: String
        var first: String
        var second: String
        var folded: String
        /// The state that both changes are applied to.
        var state: String?
    }

    struct Refused: Decodable {
        var name: String
        var change: String
        /// The state that the change is applied to.
        var state: String?
        /// The change that follows.
        var second: String?
        var code: String
    }

    @Test func changesMakeTheirResult() throws {
        let vectors = try VectorFile.read("patches.json", as: File.self).applied
        #expect(vectors.count > 30)
        for vector in vectors {
            let change = StateChange(Hex.bytes(vector.change))
            try change.check()
            let result = try change.apply(to: Hex.bytes(vector.state), maximum: .max)
            #expect(Hex.digits(result) == vector.result, "\(vector.name)")
        }
    }

    @Test func twoChangesFoldIntoOne() throws {
        let vectors = try VectorFile.read("patches.json", as: File.self).folded
        #expect(vectors.count > 25)
        for vector in vectors {
            let (first, second) = (StateChange(Hex.bytes(vector.first)), StateChange(Hex.bytes(vector.second)))
            let folded = try first.folded(with: second)
            #expect(Hex.digits(folded.bytes) == vector.folded, "\(vector.name)")
            guard let state = vector.state.map(Hex.bytes) else { continue }
            let one = try first.apply(to: state, maximum: .max)
            let both = try second.apply(to: one, maximum: .max)
            #expect(try folded.apply(to: state, maximum: .max) == both, "\(vector.name)")
        }
    }

    @Test("Invalid changes, and changes that do not fit a state, are refused with their code (F36)")
    func invalidChangesAreRefusedWithTheirCode() throws {
        let vectors = try VectorFile.read("patches.json", as: File.self).refused
        #expect(vectors.count > 60)
        for vector in vectors {
            let change = StateChange(Hex.bytes(vector.change))
            let error = #expect(throws: WireError.self, "\(vector.name)") {
                if let second = vector.second {
                    _ = try change.folded(with: StateChange(Hex.bytes(second)))
                } else if let state = vector.state {
                    try change.check()
                    _ = try change.apply(to: Hex.bytes(state), maximum: .max)
                } else {
                    try change.check()
                }
            }
            #expect(error?.code.description == vector.code, "\(vector.name): \(String(describing: error))")
        }
    }
}
