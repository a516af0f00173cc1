import Distributed
import LatticeWire

/// The types of a method that the language looks up by its name, as a call of it has them.
final class MethodTypes: @unchecked Sendable {
    // Unchecked: the compiler does not know that types are constants.

    struct Parameter {
        let type: any Any.Type
        /// The same, to be read.
        let decodable: any Decodable.Type
    }

    /// In the place of a type that the caller did not name: no parameter can be that, as it cannot be coded.
    private enum NotGiven {}

    let parameters: [Parameter]
    /// How many parameters there are up to the last one that has a size. The language asks for each of those that have
    /// one; of the others it leaves out those whose size it knows.
    let sizedEnd: Int
    /// The types in place of the generic parameters, and behind them as many of another one as a method may have: the
    /// language takes as many as the method needs, whatever number there is.
    let paddedSubstitutions: [any Any.Type]

    /// - Parameters:
    ///   - method: As the compiler names it.
    ///   - substitutions: The types in place of its generic parameters.
    /// - Returns: nil: there is no such method, or it cannot be called with these types.
    init?(of method: String, _ substitutions: [any Any.Type]) {
        paddedSubstitutions =
            substitutions.isEmpty
            ? [] : substitutions + Array(repeating: NotGiven.self, count: MessageLimits.maximumSubstitutions)
        guard let types = Self.parameters(of: method, paddedSubstitutions) else { return nil }
        var parameters: [Parameter] = []
        for type in types {
            // The compiler allows no other one.
            guard let decodable = type as? any Decodable.Type else { return nil }
            parameters.append(Parameter(type: type, decodable: decodable))
        }
        self.parameters = parameters
        sizedEnd = (parameters.lastIndex { Self.size(of: $0.type) > 0 } ?? -1) + 1
    }

    /// The parameter at a place, if the language asks for one behind it, which has this type.
    ///
    /// The first one of that type is taken. If that is not the one that is asked for, both have no size, as one with a
    /// size is never left out: then they have the same value, the only one of their type.
    func parameter(at place: Int, before type: any Any.Type) -> Parameter? {
        guard place < parameters.count, parameters[place].type != type else { return nil }
        return parameters[place]
    }

    private static func size(of type: any Any.Type) -> Int {
        func size<T>(_ type: T.Type) -> Int { MemoryLayout<T>.size }
        return _openExistential(type, do: size)
    }

    /// The types of the parameters, found as `executeDistributedTarget` of the language does it before each call.
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
