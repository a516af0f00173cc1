/// The stored properties of a struct that can be decoded, without those that cannot: of any other type none.
///
/// One that is not strong, as a `weak` one, is stored in another way than its type says.
///
/// It asks the runtime as `Mirror` does, which needs a value and does not say where in it a property is. Where a
/// program is compiled without reflection metadata there are none.
struct StoredProperties: Sequence {
    private let structure: Any.Type
    private let count: Int

    init(of type: Any.Type) {
        structure = type
        count = Self.isStruct(type) ? countOfProperties(type) : 0
    }

    func makeIterator() -> some IteratorProtocol<(type: Any.Type, offset: Int, isStrong: Bool)> {
        (0..<count).lazy.map { [structure] index in
            var description = PropertyDescription()
            let type = typeOfProperty(structure, index: index, &description)
            description.free?(description.name)
            return (type, offsetOfProperty(structure, index: index), description.isStrong)
        }
        .makeIterator()
    }

    /// Others have no such properties, or the runtime must not be asked.
    private static func isStruct(_ type: Any.Type) -> Bool {
        let kindOfStruct = 0x200
        return type is any Decodable.Type
            && unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee == kindOfStruct
    }
}

/// As the runtime fills it in.
private struct PropertyDescription {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func countOfProperties(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func offsetOfProperty(_ type: Any.Type, index: Int) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func typeOfProperty(
    _ type: Any.Type,
    index: Int,
    _ description: UnsafeMutablePointer<PropertyDescription>
) -> Any.Type
