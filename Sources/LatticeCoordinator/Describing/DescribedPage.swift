import LatticeCoding
import LatticeWire

/// The rows of a section that a request asks for, at one moment.
struct DescribedPage: Sendable {
    /// The keys whose values together identify a row.
    let keys: [String]
    /// The rows.
    let values: [[String: DescriptionValue]]
    /// The encoded rows, one after the other.
    let bytes: [UInt8]
    /// Where each encoded row ends.
    let ends: [Int]
    /// The number of rows that the filter lets pass.
    let total: Int
    /// The reason why further rows are missing, or nil.
    let cut: DescriptionCut?

    /// The encoded row at a place.
    func row(_ place: Int) -> ArraySlice<UInt8> { bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]] }

    /// Returns the answer with all rows.
    func message(_ request: UInt64) -> DescriptionMessage {
        DescriptionMessage(
            request: request,
            total: UInt64(total),
            shown: UInt64(values.count),
            rows: Self.array(values.count) + bytes,
            cut: cut
        )
    }

    /// Returns the head of an array of rows.
    static func array(_ count: Int) -> [UInt8] {
        var head = CBORWriter()
        head.append(arrayHeader: count)
        return head.bytes
    }
}

/// What a request to describe something leads to.
enum DescribedResult: Sendable {
    case page(DescribedPage)
    /// The answer that says why there is no page.
    case failed(DescriptionMessage)

    /// Returns the answer to a single request.
    func message(_ request: UInt64) -> DescriptionMessage {
        switch self {
        case .page(let page): page.message(request)
        case .failed(let message): message
        }
    }
}
