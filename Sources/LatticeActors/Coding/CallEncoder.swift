public import Distributed
import LatticeCoding

/// Writes the arguments of a call, one behind the other.
public struct CallEncoder: DistributedTargetInvocationEncoder {
    public typealias SerializationRequirement = any Codable

    private(set) var arguments: [UInt8] = []
    /// The types in place of the method's generic parameters; for what `@Resolvable` has made, that of the actor.
    private(set) var substitutions: [any Any.Type] = []
    private(set) var types = CallTypes()

    init() {}

    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        substitutions.append(type)
    }

    public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
        types.add(Value.self)
        do {
            // The first one in memory of its size.
            if arguments.isEmpty {
                arguments = try CBOREncoder().encode(argument.value)
            } else {
                try CBOREncoder().encode(argument.value, into: &arguments)
            }
        } catch {
            throw ActorCallError.unencodable(error)
        }
    }

    public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {
        types.add(type)
    }

    public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}
    public mutating func doneRecording() throws {}
}
