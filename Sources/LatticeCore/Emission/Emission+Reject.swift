import IssueReporting
import LatticeCoding

extension Emission {
    /// Returns an emission that rejects the event: it ends as ``EventOutcome/rejected(_:)`` with the code
    /// ``EventRejection/Code/declined`` and `reason`.
    ///
    /// ```swift
    /// case .move(let card, let column, let seen):
    ///     guard state.version == seen else { return .reject("The card was moved by another client.") }
    ///     state.move(card, to: column)
    ///     return .none
    /// ```
    ///
    /// A rejection is an answer and not an error, so no issue is reported. Nothing else of the emission is handled, and
    /// no effect of the event starts. This also holds if the rejection is a part of a merge, as it is when one of
    /// several interactors rejects an action.
    ///
    /// Return it before you change the state, because the runtime keeps no earlier state to go back to. A feature that
    /// supplies its own comparison of states is the exception: there, the state becomes the one before the event.
    ///
    /// Only an event can be rejected, and actions that it emits synchronously. If an interactor rejects an action of an
    /// effect, or one that follows an effect in an append, the event was applied before. It then ends as
    /// ``EventOutcome/failed(_:)``, and an issue is reported.
    /// - Parameter reason: A sentence for the sender. A sentence of more than 2,048 bytes is cut on its way to another
    ///   process.
    public static func reject(_ reason: String) -> Self {
        Self(kind: .reject(EventRejection(code: .declined, reason: reason)))
    }

    /// Returns an emission that rejects the event, as ``reject(_:)`` does, with a value for the sender.
    ///
    /// ```swift
    /// return .reject("The seat is taken.", value: Alternatives(seats: state.freeSeats(near: seat)))
    /// ```
    ///
    /// The sender reads it with ``EventRejection/value(as:)``. The value is for details that the sender acts on, such
    /// as the version that it has missed. A value that cannot be encoded, or that has more than 1,024 bytes when it is
    /// encoded, is left out and reported as an issue. The event is rejected nevertheless.
    /// - Parameters:
    ///   - reason: A sentence for the sender.
    ///   - value: The value, which is encoded at once.
    public static func reject(_ reason: String, value: some Encodable) -> Self {
        Self(kind: .reject(EventRejection(code: .declined, reason: reason, encodedValue: encoded(value))))
    }

    private static func encoded(_ value: some Encodable) -> [UInt8]? {
        do {
            let bytes = try CBOREncoder().encode(value)
            guard bytes.count > RuntimeLimits.rejectionValueBytes else { return bytes }
            reportIssue(
                """
                The value of a rejection has \(bytes.count) bytes, but may have at most \
                \(RuntimeLimits.rejectionValueBytes). It was left out. Reject the event with a smaller value, such as \
                the name of what the sender has to load.
                """
            )
        } catch {
            reportIssue("The value of a rejection was left out, because it cannot be encoded: \(error)")
        }
        return nil
    }
}

extension EventRejection {
    /// Returns the value with which the interactor rejected the event, or nil if it gave none.
    /// - Throws: `DecodingError` if the value is not a `Value`.
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value? {
        guard let encodedValue else { return nil }
        return try CBORDecoder().decode(type, from: encodedValue)
    }
}
