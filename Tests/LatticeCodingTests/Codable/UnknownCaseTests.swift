import LatticeCoding
import Testing

/// Tests a state of a later program version, decoded by a version that knows fewer enum cases.
struct UnknownCaseTests {
    private enum Later: Codable, Equatable {
        case circle(radius: Double)
        case star(points: [Int], name: String)
        case none
    }

    private enum Earlier: Codable, Equatable {
        case circle(radius: Double)
        case none
    }

    /// A wrapper that decodes an unknown value as nil. Every program can write one for its own types.
    private struct Known<Value: Codable & Equatable>: Codable, Equatable {
        let value: Value?

        init(_ value: Value?) { self.value = value }

        init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private struct State<Shape: Codable & Equatable>: Codable, Equatable {
        struct Row: Codable, Equatable {
            var before: Int
            var shape: Shape
            var after: String
        }

        var rows: [Row]
        var shapes: [Shape]
        var byName: [String: Shape]
        var nested: [[Shape?]]
        var end: Int
    }

    private static func state<Shape>(_ shape: (Int) -> Shape) -> State<Shape> {
        let shapes = (0..<9).map(shape)
        return State(
            rows: (0..<2_000).map { State.Row(before: $0, shape: shape($0), after: "row \($0)") },
            shapes: shapes,
            byName: Dictionary(uniqueKeysWithValues: shapes.enumerated().map { ("\($0)", $1) }),
            nested: [shapes, [nil], shapes],
            end: 42
        )
    }

    @Test("A case that the reader does not know costs only the value that contains it (F48)")
    func unknownCase() throws {
        let written = Self.state { index -> Later in
            switch index % 3 {
            case 0: .circle(radius: Double(index))
            case 1: .star(points: [1, 2, 3], name: "star")
            default: .none
            }
        }
        let bytes = try CBOREncoder().encode(written)
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(State<Earlier>.self, from: bytes) }
        let read = try CBORDecoder().decode(State<Known<Earlier>>.self, from: bytes)
        let expected = Self.state { index -> Known<Earlier> in
            switch index % 3 {
            case 0: Known(.circle(radius: Double(index)))
            case 1: Known(nil)
            default: Known(Earlier.none)
            }
        }
        #expect(read == expected)
    }
}
