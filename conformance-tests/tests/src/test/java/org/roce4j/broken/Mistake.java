package org.roce4j.broken;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * A change of one method's byte code. Class and method are named without package and parameters, so
 * that a class may move and a method may change around the named place.
 */
public final class Mistake {
  /**
   * A function of numbers. Arguments that are not numbers are passed as 0, booleans as 0 and 1; the
   * result 0 is null where an object is returned.
   */
  interface Numbers {
    long of(long... arguments);
  }

  /** Changes a method's code and reports each changed place to {@code found}. */
  private interface Change {
    CodeTransform in(MethodModel method, Runnable found);
  }

  /**
   * The functions that changed code calls. Classes of another loader cannot share a lambda, only
   * its index here.
   */
  private static final List<Numbers> FUNCTIONS = new CopyOnWriteArrayList<>();

  private static final ClassDesc HERE = ClassDesc.of(Mistake.class.getName());
  private static final MethodTypeDesc CALL =
      MethodTypeDesc.of(CD_long, CD_int, CD_long.arrayType());

  private final String type;
  private final String method;
  private final Change change;

  private Mistake(String type, String method, Change change) {
    this.type = type;
    this.method = method;
    this.change = change;
  }

  static Place in(String type, String method) {
    return new Place(type, method);
  }

  /** Called by changed code. */
  public static long call(int function, long[] arguments) {
    return FUNCTIONS.get(function).of(arguments);
  }

  /** Whether the class with this full name is the one to change. */
  boolean concerns(String className) {
    return className.endsWith("." + type);
  }

  /**
   * The class with the mistake.
   *
   * @throws IllegalStateException if the method, or the code to change in it, does not exist
   */
  byte[] make(byte[] original) {
    ClassFile classFile =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(Mistake.class.getClassLoader())));
    ClassModel model = classFile.parse(original);
    int[] changed = new int[1];
    byte[] mistaken = classFile.transformClass(model, transform(changed));
    if (changed[0] != 1) {
      throw new IllegalStateException(
          "%d methods instead of one to change as %s".formatted(changed[0], this));
    }
    List<VerifyError> errors = classFile.verify(mistaken);
    if (!errors.isEmpty()) {
      throw new IllegalStateException("the change of %s is illegal".formatted(this), errors.get(0));
    }
    return mistaken;
  }

  private ClassTransform transform(int[] changed) {
    return (builder, element) -> {
      if (!isTarget(element)) {
        builder.with(element);
        return;
      }
      MethodModel target = (MethodModel) element;
      int[] places = new int[1];
      CodeTransform code = change.in(target, () -> places[0]++);
      builder.transformMethod(target, MethodTransform.transformingCode(code));
      changed[0] += Math.min(1, places[0]);
    };
  }

  private boolean isTarget(ClassElement element) {
    return element instanceof MethodModel candidate
        && candidate.methodName().equalsString(method)
        && candidate.findAttribute(Attributes.code()).isPresent();
  }

  @Override
  public String toString() {
    return type + "." + method;
  }

  /** A method. */
  record Place(String type, String method) {
    private Mistake with(Change change) {
      return new Mistake(type, method, change);
    }

    /** The method only returns this function of its arguments. */
    Mistake returns(Numbers function) {
      int number = register(function);
      return with(
          (target, found) ->
              new CodeTransform() {
                @Override
                public void accept(CodeBuilder code, CodeElement element) {
                  // Leaves the original code out.
                }

                @Override
                public void atEnd(CodeBuilder code) {
                  MethodTypeDesc signature = target.methodTypeSymbol();
                  callFunction(code, number, signature, code::parameterSlot);
                  code.return_(TypeKind.from(signature.returnType()));
                  found.run();
                }
              });
    }

    /** The method does nothing, or returns null. */
    Mistake doesNothing() {
      return returns(arguments -> 0);
    }

    /** The method returns this function of its result. */
    Mistake result(LongUnaryOperator function) {
      int number = register(arguments -> function.applyAsLong(arguments[0]));
      return with(
          (target, found) ->
              (code, element) -> {
                if (element instanceof ReturnInstruction) {
                  ClassDesc result = target.methodTypeSymbol().returnType();
                  replaceTop(code, number, result);
                  found.run();
                }
                code.with(element);
              });
    }

    /**
     * The method gets this function of its argument at {@code index}, counted from 0. An overload
     * without such an argument stays unchanged.
     */
    Mistake argument(int index, LongUnaryOperator function) {
      int number = register(arguments -> function.applyAsLong(arguments[0]));
      return with(
          (target, found) ->
              new CodeTransform() {
                @Override
                public void atStart(CodeBuilder code) {
                  if (target.methodTypeSymbol().parameterCount() <= index) {
                    return;
                  }
                  ClassDesc type = target.methodTypeSymbol().parameterType(index);
                  int slot = code.parameterSlot(index);
                  code.loadLocal(TypeKind.from(type), slot);
                  replaceTop(code, number, type);
                  code.storeLocal(TypeKind.from(type), slot);
                  found.run();
                }

                @Override
                public void accept(CodeBuilder code, CodeElement element) {
                  code.with(element);
                }
              });
    }

    /** The calls in the method to a method of this name. */
    Call call(String callee) {
      return new Call(this, callee);
    }

    /**
     * In the method, a comparison with the value of a method or field of this name always finds it
     * equal.
     */
    Mistake comparesNothingWith(String name) {
      return with((target, found) -> new Comparison(name, found));
    }
  }

  /** The calls of one name within a method. */
  record Call(Place place, String callee) {
    /** The call is replaced by this function of its arguments. */
    Mistake becomes(Numbers function) {
      int number = register(function);
      return each(
          (code, call) -> {
            int[] slots = storeArguments(code, call.typeSymbol());
            if (call.opcode() != Opcode.INVOKESTATIC) {
              code.pop();
            }
            callFunction(code, number, call.typeSymbol(), parameter -> slots[parameter]);
          });
    }

    /** The call is left out; its result is 0, false or null. */
    Mistake isLeftOut() {
      return becomes(arguments -> 0);
    }

    /** The call is made twice; the second result counts. */
    Mistake isDoneTwice() {
      return each(
          (code, call) -> {
            MethodTypeDesc type = call.typeSymbol();
            int[] slots = storeArguments(code, type);
            if (call.opcode() != Opcode.INVOKESTATIC) {
              code.dup();
            }
            loadArguments(code, type, slots);
            code.with(call);
            pop(code, type.returnType());
            loadArguments(code, type, slots);
            code.with(call);
          });
    }

    private Mistake each(CallChange change) {
      return place.with(
          (target, found) ->
              (code, element) -> {
                if (element instanceof InvokeInstruction call && call.name().equalsString(callee)) {
                  change.make(code, call);
                  found.run();
                } else {
                  code.with(element);
                }
              });
    }
  }

  private interface CallChange {
    void make(CodeBuilder code, InvokeInstruction call);
  }

  /** Takes the branch for "equal" after an object was loaded from this name. */
  private static final class Comparison implements CodeTransform {
    private final String name;
    private final Runnable found;
    private boolean loaded;

    Comparison(String name, Runnable found) {
      this.name = name;
      this.found = found;
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      boolean decided = loaded && element instanceof BranchInstruction;
      if (element instanceof Instruction) {
        loaded =
            (element instanceof InvokeInstruction call && call.name().equalsString(name))
                || (element instanceof FieldInstruction load && load.name().equalsString(name));
      }
      if (decided && element instanceof BranchInstruction branch) {
        if (branch.opcode() == Opcode.IF_ACMPEQ) {
          code.pop2().goto_(branch.target());
          found.run();
          return;
        }
        if (branch.opcode() == Opcode.IF_ACMPNE) {
          code.pop2();
          found.run();
          return;
        }
      }
      code.with(element);
    }
  }

  // ---- byte code

  private static int register(Numbers function) {
    synchronized (FUNCTIONS) {
      FUNCTIONS.add(function);
      return FUNCTIONS.size() - 1;
    }
  }

  /** Calls a function of these arguments and leaves its result on the stack. */
  private static void callFunction(
      CodeBuilder code, int function, MethodTypeDesc signature, IntUnaryOperator slot) {
    int count = signature.parameterCount();
    code.loadConstant(function).loadConstant(count).newarray(TypeKind.LONG);
    for (int i = 0; i < count; i++) {
      TypeKind kind = TypeKind.from(signature.parameterType(i));
      code.dup().loadConstant(i);
      if (kind == TypeKind.REFERENCE) {
        code.lconst_0();
      } else {
        code.loadLocal(kind, slot.applyAsInt(i)).conversion(kind.asLoadable(), TypeKind.LONG);
      }
      code.lastore();
    }
    code.invokestatic(HERE, "call", CALL);
    fromLong(code, signature.returnType());
  }

  /** Replaces the top of the stack by a function of it. */
  private static void replaceTop(CodeBuilder code, int function, ClassDesc type) {
    int slot = code.allocateLocal(TypeKind.from(type));
    code.storeLocal(TypeKind.from(type), slot);
    callFunction(code, function, MethodTypeDesc.of(type, type), parameter -> slot);
  }

  private static void fromLong(CodeBuilder code, ClassDesc type) {
    TypeKind kind = TypeKind.from(type);
    switch (kind) {
      case VOID -> code.pop2();
      case REFERENCE -> code.pop2().aconst_null().checkcast(type);
      default -> code.conversion(TypeKind.LONG, kind.asLoadable());
    }
  }

  private static int[] storeArguments(CodeBuilder code, MethodTypeDesc type) {
    int[] slots = new int[type.parameterCount()];
    for (int i = slots.length - 1; i >= 0; i--) {
      TypeKind kind = TypeKind.from(type.parameterType(i));
      slots[i] = code.allocateLocal(kind);
      code.storeLocal(kind, slots[i]);
    }
    return slots;
  }

  private static void loadArguments(CodeBuilder code, MethodTypeDesc type, int[] slots) {
    for (int i = 0; i < slots.length; i++) {
      code.loadLocal(TypeKind.from(type.parameterType(i)), slots[i]);
    }
  }

  private static void pop(CodeBuilder code, ClassDesc type) {
    if (TypeKind.from(type).slotSize() == 2) {
      code.pop2();
    } else if (!type.equals(CD_void)) {
      code.pop();
    }
  }
}
