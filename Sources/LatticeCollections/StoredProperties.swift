/// The stored properties of a struct that conforms to `Decodable`. A type of any other kind has none.
///
/// A property that is not strong, such as a `weak` one, is stored in another form than its type says.
///
/// The properties come from the same runtime functions that `Mirror` uses. `Mirror` itself needs a value, and does not
/// tell the offset of a property. A program that is compiled without reflection metadata has no such properties.
package struct StoredProperties: Sequence {
    private let structure: Any.Type
    private let count: Int

    package init(of type: Any.Type) {
        structure = type
        count = Self.isStruct(type) ? countOfProperties(type) : 0
    }

    package func makeIterator() -> some IteratorProtocol<(type: Any.Type, offset: Int, isStrong: Bool)> {
        (0..<count).lazy.map { [structure] index in
            var description = PropertyDescription()
            let type = typeOfProperty(structure, index: index, &description)
            description.free?(description.name)
            return (type, offsetOfProperty(structure, index: index), description.isStrong)
        }
        .makeIterator()
    }

    /// Returns whether a type is a decodable struct. For other types the runtime must not be asked.
    private static func isStruct(_ type: Any.Type) -> Bool {
        let kindOfStruct = 0x200
        return type is any Decodable.Type
            && unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee == kindOfStruct
    }
}

/// The description of a property. The layout is the one that the runtime fills in.
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
