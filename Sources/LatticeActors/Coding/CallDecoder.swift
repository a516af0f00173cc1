public import Distributed
import LatticeCoding

/// Reads the arguments of a call: one for each parameter of the method, in order.
///
/// The language does not ask for an argument whose type it knows to have no size, such as an empty struct or an enum
/// with one case. The call has a value for it all the same, as the wire knows nothing of sizes in memory. So this looks
/// up which parameter is asked for, and reads the arguments before it that the language leaves out.
public struct CallDecoder: DistributedTargetInvocationDecoder, @unchecked Sendable {
    // Unchecked: the compiler does not know that types are constants.

    public typealias SerializationRequirement = any Codable

    /// An argument is not what the method takes.
    struct Undecodable: Error {
        /// From 1 on.
        let argument: Int
        let type: String
        let cause: any Error
    }

    /// The call has more arguments than the method has parameters.
    struct Surplus: Error {
        let parameters: Int
    }

    private let bytes: [UInt8]
    /// What the language looks up by its name; nil for a method of a table, whose closure asks for each argument.
    private let method: MethodTypes?
    /// What references to actors are made with.
    private let source: LocalActors
    private var offset = 0
    /// How many arguments have been read.
    private var count = 0

    /// - Parameter method: The types of a method that the language looks up; nil for a method of a table.
    init(_ bytes: [UInt8], of method: MethodTypes? = nil, for source: LocalActors) {
        self.bytes = bytes
        self.method = method
        self.source = source
    }

    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { method?.paddedSubstitutions ?? [] }

    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard let method else { return try next() }
        while let unasked = method.parameter(at: count, before: Argument.self) { try skip(unasked) }
        let argument: Argument = try next()
        // The language may not ask for anything behind the last parameter that has a size, and then calls the method.
        if count >= method.sizedEnd { try checkEnd() }
        return argument
    }

    /// Reads what is left, without taking it: arguments of parameters that the language need not ask for.
    ///
    /// - Throws: What says that such an argument is missing or is of another type, or that there is another one.
    func checkEnd() throws {
        if offset == bytes.count, count >= method?.parameters.count ?? 0 { return }
        var rest = self
        while let method, rest.count < method.parameters.count { try rest.skip(method.parameters[rest.count]) }
        guard rest.offset == bytes.count else { throw Surplus(parameters: rest.count) }
    }

    /// The same before the method is called, if the language need not ask for anything.
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

    public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
    public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }
}

extension CBORDecoder {
    /// Reads one of several values that stand one behind the other.
    ///
    /// - Parameter offset: Where it begins; afterwards, where the next one does.
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
