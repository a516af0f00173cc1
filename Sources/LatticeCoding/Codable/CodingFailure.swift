/// An error that a value's own code threw while the value was encoded or decoded, with the path in the value.
package struct CodingFailure: Error, CustomStringConvertible {
    /// The keys that lead to the value whose code threw the error.
    package let path: [any CodingKey]
    /// The error that the code threw.
    package let cause: any Error

    package var description: String { "at \(path.dotted): \(cause)" }

    /// Returns one sentence for any error of a coder, with the path if it is known.
    package static func sentence(_ error: any Error) -> String {
        switch error {
        case EncodingError.invalidValue(_, let context):
            "at \(context.codingPath.dotted): \(context.debugDescription)"
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            "at \(context.codingPath.dotted): \(context.debugDescription)"
        case DecodingError.keyNotFound(let key, let context):
            "at \((context.codingPath + [key]).dotted): \(context.debugDescription)"
        default:
            "\(error)"
        }
    }

    /// Returns the same error for a value that is part of another one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - names: The keys that lead to the part.
    package static func place(_ error: any Error, within names: [String]) -> any Error {
        inside(error, names.map(CBORCodingKey.text))
    }

    /// Returns the same error with a longer path of any keys.
    static func inside(_ error: any Error, _ path: [any CodingKey]) -> any Error {
        switch error {
        case EncodingError.invalidValue(let value, let context):
            return EncodingError.invalidValue(value, .init(context, inside: path))
        case DecodingError.dataCorrupted(let context):
            return DecodingError.dataCorrupted(.init(context, inside: path))
        case DecodingError.typeMismatch(let type, let context):
            return DecodingError.typeMismatch(type, .init(context, inside: path))
        case DecodingError.valueNotFound(let type, let context):
            return DecodingError.valueNotFound(type, .init(context, inside: path))
        case DecodingError.keyNotFound(let key, let context):
            return DecodingError.keyNotFound(key, .init(context, inside: path))
        case let failure as CodingFailure:
            return CodingFailure(path: path + failure.path, cause: failure.cause)
        default:
            return CodingFailure(path: path, cause: error)
        }
    }

    /// Adds the path to an error that does not contain its path itself.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The path at which it was thrown; nil if it was not thrown inside a container.
    static func wrap(_ error: any Error, at path: [any CodingKey]?) -> any Error {
        guard let path, !(error is EncodingError), !(error is DecodingError), !(error is CodingFailure) else {
            return error
        }
        return CodingFailure(path: path, cause: error)
    }
}

/// The underlying error of a value that cannot be encoded because it is nested too deeply.
package struct NestingTooDeep: Error {
    package init() {}

    /// Returns whether an error of an encoder has this cause.
    package static func isCause(of error: any Error) -> Bool {
        guard case EncodingError.invalidValue(_, let context) = error else { return false }
        return context.underlyingError is NestingTooDeep
    }
}

extension [any CodingKey] {
    /// The path in dot notation, such as "entries.3.name"; "its top" for the whole value.
    fileprivate var dotted: String {
        isEmpty ? "its top" : map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// Returns the origin of an error that has passed up to `path`: this path if it is inside `path`, and otherwise
    /// `path`.
    func origin(at path: [any CodingKey]) -> [any CodingKey] {
        let isDeeper = count >= path.count && zip(self, path).allSatisfy { $0.stringValue == $1.stringValue }
        return isDeeper ? self : path
    }
}

extension EncodingError.Context {
    fileprivate init(_ context: Self, inside path: [any CodingKey]) {
        self.init(
            codingPath: path + context.codingPath,
            debugDescription: context.debugDescription,
            underlyingError: context.underlyingError
        )
    }
}

extension DecodingError.Context {
    fileprivate init(_ context: Self, inside path: [any CodingKey]) {
        self.init(
            codingPath: path + context.codingPath,
            debugDescription: context.debugDescription,
            underlyingError: context.underlyingError
        )
    }
}

/// A coding key that no type declares.
enum CBORCodingKey: CodingKey {
    /// The index of an element.
    case index(Int)
    /// A key of a dictionary.
    case text(String)

    /// The key of the values of a superclass.
    static let superKey = CBORCodingKey.text("super")

    init(index: Int) { self = .index(index) }

    init?(stringValue: String) { self = .text(stringValue) }

    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .text(let text): text
        }
    }

    var intValue: Int? {
        guard case .index(let index) = self else { return nil }
        return index
    }
}
