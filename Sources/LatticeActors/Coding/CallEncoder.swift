public import Distributed
import LatticeCoding

/// Writes the arguments of a call, one behind the other.
public struct CallEncoder: DistributedTargetInvocationEncoder {
    public typealias SerializationRequirement = any Codable

    private(set) var arguments: [UInt8] = []
    private(set) var substitutions: [String] = []

    init() {}

    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        substitutions.append(try TypeNames.name(of: type))
    }

    public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
        do {
            try CBOREncoder().encode(argument.value, into: &arguments)
        } catch {
            throw ActorCallError.unencodable(error)
        }
    }

    public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}
    public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}
    public mutating func doneRecording() throws {}
}
