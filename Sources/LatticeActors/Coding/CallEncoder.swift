public import Distributed
import LatticeCoding

/// Encodes the arguments of a call, one after the other.
public struct CallEncoder: DistributedTargetInvocationEncoder {
    /// The requirement on arguments and results of distributed methods.
    public typealias SerializationRequirement = any Codable

    private(set) var arguments: [UInt8] = []
    /// The types for the method's generic parameters. For a type that `@Resolvable` created, this is the type of the
    /// actor.
    private(set) var substitutions: [any Any.Type] = []
    private(set) var types = CallTypes()

    init() {}

    /// Records a type for a generic parameter of the method.
    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        substitutions.append(type)
    }

    /// Encodes an argument.
    ///
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/unencodable`` if the argument cannot be encoded.
    public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
        types.add(Value.self)
        do {
            // The first argument gets an array of exactly its size.
            if arguments.isEmpty {
                arguments = try CBOREncoder().encode(argument.value)
            } else {
                try CBOREncoder().encode(argument.value, into: &arguments)
            }
        } catch {
            throw ActorCallError.unencodable(error)
        }
    }

    /// Records the type of the result, which distinguishes methods with the same name.
    public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {
        types.add(type)
    }

    /// Does nothing, because the type of the error does not distinguish methods.
    public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}
    /// Does nothing, because each argument is encoded when it is recorded.
    public mutating func doneRecording() throws {}
}
