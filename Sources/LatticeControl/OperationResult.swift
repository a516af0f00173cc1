public import LatticeWire

/// What a coordinator did for a tool.
public struct OperationResult: Sendable, Equatable {
    /// A description of what was done, in full sentences.
    public let message: String
    /// The subjects of the act, such as the workers that were restarted. Rows describe themselves, like those of a
    /// ``SectionDescription``.
    public let rows: [[String: DescriptionValue]]

    /// - Throws: ``ControlError`` if the answer says that nothing was done, or cannot be read.
    init(_ answer: OperatedMessage) throws {
        guard answer.code == .done else { throw ControlError.answered(answer) }
        message = answer.reason
        do {
            rows = try DescriptionValue.rows(decoding: answer.rows)
        } catch {
            throw ControlError.unreadable(error)
        }
    }
}
