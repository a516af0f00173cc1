/// An error that a value's own code threw while the value was encoded or decoded, with the place in it.
package struct CodingFailure: Error, CustomStringConvertible {
    /// The keys that lead to the value whose code threw.
    package let path: [any CodingKey]
    package let cause: any Error

    package var description: String { "at \(path.spoken): \(cause)" }

    /// One sentence of any error of a coder, with the place if that is known.
    package static func sentence(_ error: any Error) -> String {
        switch error {
        case EncodingError.invalidValue(_, let context):
            "at \(context.codingPath.spoken): \(context.debugDescription)"
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            "at \(context.codingPath.spoken): \(context.debugDescription)"
        case DecodingError.keyNotFound(let key, let context):
            "at \((context.codingPath + [key]).spoken): \(context.debugDescription)"
        default:
            "\(error)"
        }
    }

    /// The same error for a value that is part of another one.
    ///
    /// - Parameter names: The keys that lead to it.
    package static func place(_ error: any Error, within names: [String]) -> any Error {
        inside(error, names.map(CBORCodingKey.text))
    }

    /// The same, with keys of any sort.
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

    /// Tells the error apart from one that knows its place itself.
    ///
    /// - Parameter path: Where it was thrown; nil if that was not inside a container.
    static func wrap(_ error: any Error, at path: [any CodingKey]?) -> any Error {
        guard let path, !(error is EncodingError), !(error is DecodingError), !(error is CodingFailure) else {
            return error
        }
        return CodingFailure(path: path, cause: error)
    }
}

/// The underlying error of a value that cannot be encoded where it is, because it is nested too deeply there.
package struct NestingTooDeep: Error {
    package init() {}

    /// Whether an error of an encoder says so.
    package static func isCause(of error: any Error) -> Bool {
        guard case EncodingError.invalidValue(_, let context) = error else { return false }
        return context.underlyingError is NestingTooDeep
    }
}

extension [any CodingKey] {
    /// "entries.3.name"; the value as a whole is "its top".
    fileprivate var spoken: String {
        isEmpty ? "its top" : map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// Where an error comes from that is on its way up and has come to `path`: deeper down if this is there already.
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

/// A key that no type declares.
enum CBORCodingKey: CodingKey {
    /// The place of an element.
    case index(Int)
    /// A key of a dictionary.
    case text(String)

    /// The key under which the values of a super class lie.
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
