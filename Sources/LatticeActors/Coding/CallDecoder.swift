public import Distributed
import LatticeCoding
import LatticeWire

/// Reads the arguments of a call.
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

    /// In the place of a type that the caller did not name: no parameter can be that, as it cannot be coded.
    private enum NotGiven {}

    private let bytes: [UInt8]
    private let substitutions: [any Any.Type]
    /// What references to actors are made with.
    private let source: LocalActors
    private var offset = 0
    private var count = 0

    /// - Parameter substitutions: The types in place of the method's generic parameters.
    init(_ bytes: [UInt8], substitutions: [any Any.Type], for source: LocalActors) {
        self.bytes = bytes
        self.substitutions = substitutions
        self.source = source
    }

    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] {
        // The runtime takes as many as the method has parameters, whatever number there is.
        substitutions.isEmpty
            ? [] : substitutions + Array(repeating: NotGiven.self, count: MessageLimits.maximumSubstitutions)
    }

    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
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
