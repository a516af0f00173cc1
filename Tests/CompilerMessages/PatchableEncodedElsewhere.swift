// error: cannot find 'CodingKeys' in scope
import Lattice

@Patchable
struct Ratio: Equatable, Sendable {
    var value = 0.0
}

extension Ratio: Codable {
    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Double.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
