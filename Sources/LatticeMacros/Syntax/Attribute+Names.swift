import SwiftSyntax

extension AttributeSyntax {
    /// Whether this attribute is `@name`, or `@Module.name`.
    func hasName(_ name: String) -> Bool {
        attributeName.lastName?.text == name
    }

    /// This attribute in the declaration that has it; macros get theirs apart from the declaration.
    func written(in attributes: AttributeListSyntax) -> AttributeSyntax? {
        let text = trimmedDescription
        return attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.trimmedDescription == text }
    }
}
