import Distributed
import LatticeWire

/// The parameter types of a method that the Swift runtime looks up by its name, for the generic arguments of one call.
final class MethodTypes: @unchecked Sendable {
    // Unchecked: the compiler does not know that metatypes are constants.

    struct Parameter {
        let type: any Any.Type
        /// The same type as one that can be decoded.
        let decodable: any Decodable.Type
    }

    /// A placeholder for generic arguments that the caller did not send. No parameter can have this type, because it
    /// cannot be encoded.
    private enum NotGiven {}

    /// The parameters in order.
    let parameters: [Parameter]
    /// The number of parameters up to the last one with a size. The runtime requests each parameter that has a size,
    /// and may leave out those whose size is known to be 0.
    let sizedEnd: Int
    /// The generic arguments of the call, followed by the maximum number of placeholders. The runtime reads as many
    /// arguments as the method needs, whatever the length of the list.
    let paddedSubstitutions: [any Any.Type]

    /// Looks up a method.
    ///
    /// Returns nil if there is no such method, or if it cannot be called with these types.
    ///
    /// - Parameters:
    ///   - method: The mangled name of the method.
    ///   - substitutions: The types for its generic parameters.
    init?(of method: String, _ substitutions: [any Any.Type]) {
        paddedSubstitutions =
            substitutions.isEmpty
            ? [] : substitutions + Array(repeating: NotGiven.self, count: MessageLimits.maximumSubstitutions)
        guard let types = Self.parameters(of: method, paddedSubstitutions) else { return nil }
        var parameters: [Parameter] = []
        for type in types {
            // The compiler accepts only such parameters.
            guard let decodable = type as? any Decodable.Type else { return nil }
            parameters.append(Parameter(type: type, decodable: decodable))
        }
        self.parameters = parameters
        sizedEnd = (parameters.lastIndex { Self.size(of: $0.type) > 0 } ?? -1) + 1
    }

    /// Returns the parameter at a position if the runtime has left it out and requests a later one.
    ///
    /// The runtime's next request is assumed to be for the first parameter with the requested type. If it is for
    /// another parameter, both have size 0, because a parameter with a size is never left out. Then both have the same
    /// value, because their type has only one.
    ///
    /// - Parameters:
    ///   - place: The position of the next argument.
    ///   - type: The type that the runtime requests.
    func parameter(at place: Int, before type: any Any.Type) -> Parameter? {
        guard place < parameters.count, parameters[place].type != type else { return nil }
        return parameters[place]
    }

    private static func size(of type: any Any.Type) -> Int {
        func size<T>(_ type: T.Type) -> Int { MemoryLayout<T>.size }
        return _openExistential(type, do: size)
    }

    /// Returns the types of the parameters. It finds them as `executeDistributedTarget` of the Swift runtime does
    /// before each call.
    private static func parameters(of method: String, _ substitutions: [any Any.Type]) -> [any Any.Type]? {
        var method = method
        return method.withUTF8 { name -> [any Any.Type]? in
            guard let start = name.baseAddress else { return nil }
            let (length, environment) = (
                UInt(name.count), _getGenericEnvironmentOfDistributedTarget(start, UInt(name.count))
            )
            let count = Int(__getParameterCount(start, length))
            guard count >= 0 else { return nil }
            return substitutions.withUnsafeBufferPointer { types -> [any Any.Type]? in
                let arguments = environment == nil ? nil : UnsafeRawPointer(types.baseAddress)
                if let environment {
                    guard let arguments, !types.isEmpty else { return nil }
                    let (witnesses, number) = _getWitnessTablesFor(
                        environment: environment,
                        genericArguments: arguments
                    )
                    guard number >= 0 else { return nil }
                    witnesses.deallocate()
                }
                let found = UnsafeMutableBufferPointer<any Any.Type>.allocate(capacity: count)
                defer { found.deallocate() }
                guard let room = found.baseAddress,
                    __getParameterTypeInfo(
                        start,
                        length,
                        environment,
                        arguments,
                        UnsafeMutableRawPointer(room)._rawValue,
                        count
                    ) == count
                else { return nil }
                return Array(found)
            }
        }
    }
}
