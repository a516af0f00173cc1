import LatticeCoding
import LatticeWire

/// The answer to a request to act.
struct OperationAnswer: Sendable {
    let code: OperationCode
    /// A description of what was done, or the reason why nothing was done, in full sentences.
    let reason: String
    /// The subjects of the act, if it was done.
    let rows: [[String: DescriptionValue]]

    init(_ code: OperationCode, _ reason: String, rows: [[String: DescriptionValue]] = []) {
        self.code = code
        self.reason = reason
        self.rows = rows
    }

    /// Returns the message that contains the answer.
    func message(_ request: UInt64) -> OperatedMessage {
        var writer = CBORWriter()
        if code == .done {
            writer.append(arrayHeader: rows.count)
            for row in rows { DescriptionValue.encode(row, into: &writer) }
        }
        return OperatedMessage(request: request, code, reason: reason, rows: writer.bytes)
    }
}
