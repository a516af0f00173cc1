public import Distributed
import LatticeCoding

/// Decodes the arguments of a call: one for each parameter of the method, in order.
///
/// The Swift runtime does not request an argument whose type is known to have size 0, such as an empty struct or an
/// enum with one case. The call contains a value for it all the same, because the wire format does not depend on sizes
/// in memory. The decoder therefore looks up which parameter is requested, and skips the arguments before it that were
/// not requested.
public struct CallDecoder: DistributedTargetInvocationDecoder, @unchecked Sendable {
    // Unchecked: the compiler does not know that metatypes are constants.

    /// The requirement on arguments and results of distributed methods.
    public typealias SerializationRequirement = any Codable

    /// The error of an argument that is not a value of its parameter's type.
    struct Undecodable: Error {
        /// The position of the argument. The first one is 1.
        let argument: Int
        let type: String
        let cause: any Error
    }

    /// The error of a call with more arguments than the method has parameters.
    struct Surplus: Error {
        let parameters: Int
    }

    private let bytes: [UInt8]
    /// The types of a method that the Swift runtime looks up by its name, or nil for a method of a table, whose closure
    /// requests each argument.
    private let method: MethodTypes?
    /// The source of the values that decoding a reference to an actor needs.
    private let source: LocalActors
    private var offset = 0
    /// The number of arguments that have been decoded.
    private var count = 0

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - bytes: The encoded arguments.
    ///   - method: The types of a method that the Swift runtime looks up, or nil for a method of a table.
    ///   - source: The actors of this process.
    init(_ bytes: [UInt8], of method: MethodTypes? = nil, for source: LocalActors) {
        self.bytes = bytes
        self.method = method
        self.source = source
    }

    /// Returns the generic arguments of the call, followed by placeholders.
    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { method?.paddedSubstitutions ?? [] }

    /// Decodes the next argument that the Swift runtime requests.
    ///
    /// - Throws: An error if the argument is missing or has another type, or if there are too many arguments.
    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard let method else { return try next() }
        while let unasked = method.parameter(at: count, before: Argument.self) { try skip(unasked) }
        let argument: Argument = try next()
        // The runtime may request nothing after the last parameter with a size, and then calls the method.
        if count >= method.sizedEnd { try checkEnd() }
        return argument
    }

    /// Checks the arguments that are left, without consuming them. The runtime may not request arguments of size 0.
    ///
    /// - Throws: An error if an argument is missing or has another type, or if there are too many arguments.
    func checkEnd() throws {
        if offset == bytes.count, count >= method?.parameters.count ?? 0 { return }
        var rest = self
        while let method, rest.count < method.parameters.count { try rest.skip(method.parameters[rest.count]) }
        guard rest.offset == bytes.count else { throw Surplus(parameters: rest.count) }
    }

    /// Checks the arguments before the method is called, if the runtime may not request any of them.
    func checkUnasked() throws {
        if let method, method.sizedEnd == 0 { try checkEnd() }
    }

    private mutating func skip(_ parameter: MethodTypes.Parameter) throws {
        func read<Argument: Decodable>(_ type: Argument.Type) throws { let _: Argument = try next() }
        try read(parameter.decodable)
    }

    private mutating func next<Argument: Decodable>() throws -> Argument {
        count += 1
        do {
            return try bytes.withUnsafeBytes { bytes in
                try CBORDecoder.next(Argument.self, in: bytes, at: &offset, for: source)
            }
        } catch {
            throw Undecodable(argument: count, type: "\(Argument.self)", cause: error)
        }
    }

    /// Returns nil, because the method defines the type of the result.
    public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
    /// Returns nil, because errors are encoded with the names of their types.
    public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }
}

extension CBORDecoder {
    /// Decodes one value from a sequence of encoded values.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The encoded values.
    ///   - offset: The position of the value. After the call, the position of the next one.
    ///   - source: The actors of this process, for decoding references to actors.
    static func next<Value: Decodable>(
        _ type: Value.Type,
        in bytes: UnsafeRawBufferPointer,
        at offset: inout Int,
        for source: LocalActors
    ) throws -> Value {
        var reader = CBORReader(bytes, offset: offset)
        try reader.skip()
        let one = UnsafeRawBufferPointer(rebasing: bytes[offset..<reader.offset])
        let value = try CodingContext.around(source) { try CBORDecoder().decode(type, from: one) }
        offset = reader.offset
        return value
    }
}
